/** SynthID as in Hugging Face Transformers: one table of bits, read at a 16-bit linear congruential hash. */

import { logBinomialTail } from '../../../src/core/stats/entry.ts'
import {
  synthidGValues,
  synthidSamplingTable,
  TorchGenerator,
} from '../../../src/watermarks/published/index.ts'
import { synthidHash } from '../../../src/watermarks/published/synthid.ts'
import { vectors } from '../vectors.ts'

export const states = 65536
const publishedKeys = vectors.synthid_hf.keys
const layers = publishedKeys.length

/** Ones in the published table. */
export const onesInTable = (): number => synthidSamplingTable().reduce((sum, bit) => sum + bit, 0)

/**
 * The bits of every state of the hash, `layers` per state. A table of 2^16 entries sees the low 16 bits of the hash
 * only, and those depend on the low 16 bits of context and token only, so this is everything the code can do.
 */
export function everyState(): Uint8Array[] {
  const hash = synthidHash({ flavor: 'huggingface', keys: publishedKeys })
  return Array.from({ length: states }, (_, state) => {
    const bits = new Uint8Array(layers)
    hash.bits(Int32Array.of(state, 0), 0, bits)
    return bits
  })
}

/** The share of (n-gram, layer) pairs whose bit stays the same when the token's id grows by 65536. */
export function agreementOfTwins(texts: number): number {
  const draw = new TorchGenerator(0)
  let same = 0
  for (let i = 0; i < texts; i++) {
    const tokens = Array.from(draw.randint(0, 128256 - states, 5))
    const twin = [...tokens.slice(0, 4), tokens[4]! + states]
    const options = { flavor: 'huggingface' as const, keys: publishedKeys, ngramLength: 5 }
    const [a] = synthidGValues({ ...options, tokens })
    const [b] = synthidGValues({ ...options, tokens: twin })
    same += a!.filter((bit, l) => bit === b![l]).length
  }
  return same / (texts * layers)
}

/** The mean, over texts, of the number of pairs of n-grams that share all their bits. */
export function sharedBits(texts: number, length: number): number {
  const draw = new TorchGenerator(1)
  let pairs = 0
  for (let i = 0; i < texts; i++) {
    const tokens = draw.randint(0, 50257, length + 4)
    const g = synthidGValues({ flavor: 'huggingface', keys: publishedKeys, ngramLength: 5, tokens })
    const seen = new Map<string, number>()
    for (const bits of g) {
      const known = seen.get(bits.join('')) ?? 0
      pairs += known
      seen.set(bits.join(''), known + 1)
    }
  }
  return pairs / texts
}

/** P(a token has k ones among its bits), over all states. */
export function onesPerToken(bits: readonly Uint8Array[]): Float64Array {
  const law = new Float64Array(layers + 1)
  for (const state of bits) law[state.reduce((sum, bit) => sum + bit, 0)]! += 1 / bits.length
  return law
}

/** The law of a sum of n independent draws. */
function convolve(law: Float64Array, n: number): Float64Array {
  let total = Float64Array.of(1)
  for (let i = 0; i < n; i++) {
    const next = new Float64Array(total.length + law.length - 1)
    total.forEach((mass, s) => {
      law.forEach((step, k) => {
        next[s + k]! += mass * step
      })
    })
    total = next
  }
  return total
}

/** The exact false-alarm rate of a test that takes the bits for independent with the given rate. */
export function size(law: Float64Array, tokens: number, rate: number, alpha: number): number {
  const total = convolve(law, tokens)
  let critical = 0
  while (logBinomialTail(critical, tokens * layers, rate) > Math.log(alpha)) critical++
  return total.slice(critical).reduce((sum, mass) => sum + mass, 0)
}

/** The mean of q over all states for two tokens that p holds equally likely, minus 1/2. `first` layers only. */
export function biasOfPair(bits: readonly Uint8Array[], offset: number, first = layers): number {
  // Moving the token by `offset` moves the state by as much: the hash adds tokens to the context.
  let sum = 0
  for (let state = 0; state < states; state++) {
    const a = bits[state]!
    const b = bits[(state + offset) % states]!
    let q = 0.5
    for (let l = 0; l < first; l++) q *= 1 + a[l]! - (a[l]! * q + b[l]! * (1 - q))
    sum += q
  }
  return sum / states - 0.5
}
