/** The kernels in plain TypeScript: what the WebAssembly is tested against, and what runs where there is none. */
import { LOW, mix, roundKeys, toUniform } from '../keys/mix.ts'
import { siphash128 } from '../keys/siphash.ts'
import type { Kernels } from './kernels.ts'

const TURN = 2 ** 32

function softmax(logits: Float32Array | Float64Array, sharpness: number, p: Float64Array): number {
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < p.length; i++) if (logits[i]! > top) top = logits[i]!
  let sum = 0
  for (let i = 0; i < p.length; i++) {
    const e = Math.exp((logits[i]! - top) * sharpness)
    p[i] = e
    sum += e
  }
  const scale = 1 / sum
  for (let i = 0; i < p.length; i++) p[i]! *= scale
  return sum
}

function support(p: Float64Array, ids: Int32Array): number {
  let count = 0
  for (let i = 0; i < p.length; i++) {
    if (!(p[i]! > 0)) continue
    if (count === ids.length) return count + 1
    ids[count++] = i
  }
  return count
}

function inBucket(words: Uint32Array, shift: number, bucket: number, ids: Int32Array): number {
  let count = 0
  for (let i = 0; i < words.length; i++) {
    if (words[i]! >>> shift !== bucket) continue
    if (count < ids.length) ids[count] = i
    count++
  }
  return count
}

const seedWords = new Uint32Array(4)

function seed(
  key: Uint32Array,
  words: Uint32Array,
  count: number,
  length: number,
  step: number,
  out: Int32Array,
): void {
  for (let j = 0; j < count; j++) {
    siphash128(key, words.subarray(j * step, j * step + length), seedWords)
    roundKeys(seedWords, out.subarray(4 * j, 4 * j + 4))
  }
}

/** B[i][j] = min(B[i-1][j], B[i][j-1], B[i-1][j-1] + pair), 0 on both edges: see assembly/alignment.ts. */
function alignAt(pairs: Int32Array, k: number, period: number, offset: number, column: Int32Array): number {
  column.fill(0)
  for (let i = 0; i < k; i++) {
    let diagonal = 0
    for (let j = 1; j <= k; j++) {
      const up = column[j]!
      const pair = pairs[i * (period + 16) + ((offset + j - 1) % period)]!
      column[j] = Math.min(up, diagonal + pair, column[j - 1]!)
      diagonal = up
    }
  }
  return column[k]!
}

export const plain: Kernels = {
  kind: 'plain',
  softmax,
  fill(out, keys) {
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = keys
    for (let i = 0; i < out.length; i++) out[i] = mix(i, k0, k1, k2, k3)
  },
  total(p) {
    let sum = 0
    for (let i = 0; i < p.length; i++) sum += p[i]! < 0 ? Number.NaN : p[i]!
    return sum
  },
  support,
  greenMass(p, words, shift, threshold) {
    let sum = 0
    for (let i = 0; i < p.length; i++) if ((words[i]! + shift) >>> 0 < threshold) sum += p[i]!
    return sum
  },
  greenScale(p, words, shift, threshold, green, red, q) {
    for (let i = 0; i < p.length; i++) q[i] = p[i]! * ((words[i]! + shift) >>> 0 < threshold ? green : red)
  },
  classMass(p, words, shift, mass) {
    mass.fill(0)
    for (let i = 0; i < p.length; i++) mass[(words[i]! >>> shift) & (mass.length - 1)]! += p[i]!
  },
  classScale(p, words, shift, factor, q) {
    for (let i = 0; i < p.length; i++) q[i] = p[i]! * factor[(words[i]! >>> shift) & (factor.length - 1)]!
  },
  remainders(words, l, out) {
    const limit = TURN - (TURN % l)
    let over = 0
    for (let i = 0; i < words.length; i++) {
      out[i] = words[i]! % l
      if (words[i]! >= limit) over++
    }
    return over
  },
  inBucket,
  orderScale(p, words, lowWord, highWord, low, high, q) {
    for (let i = 0; i < p.length; i++) {
      const word = words[i]!
      q[i] = p[i]! * (1 + (word < lowWord ? low : 0) + (word > highWord ? high : 0))
    }
  },
  nextRunner(p, words, from, best) {
    const bound = best * TURN * (1 + 1e-14)
    let i = from
    while (i < p.length && !(words[i]! < p[i]! * bound)) i++
    return i
  },
  seed,
  exponentialScores(keys, tokens, out) {
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = keys
    for (let i = 0; i < out.length; i++) {
      const v = toUniform(mix(tokens[i]!, k0, k1, k2, k3), mix(tokens[i]! + LOW, k0, k1, k2, k3))
      out[i] = -Math.log(Math.min(1, v + 2 ** -65))
    }
  },
  align(pairs, k, period, costs) {
    const column = new Int32Array(k + 1)
    for (let offset = 0; offset < period; offset++) costs[offset] = alignAt(pairs, k, period, offset, column)
  },
}
