/** Numbers about codes of inference engines and toolkits. Everything is computed here, from the codes of `uwbench/reference` or from the definition given beside it. */

import { seededRandom } from '../../../src/core/keys/stream.ts'
import { logBinomialTail, logGammaTail, logNormalTail } from '../../../src/core/stats/index.ts'
import { detect, embedder } from '../../../src/index.ts'
import type { AnyWatermark } from '../../../src/watermark.ts'
import { kgw } from '../../../src/watermarks/entry.ts'
import { kgwGreenlist } from '../../../src/watermarks/published/index.ts'
import { murmurHash, murmurLast, murmurState } from '../../../src/watermarks/published/murmur.ts'
import { type KeyWords, keyWords, multiplyHigh } from '../../../src/watermarks/published/philox.ts'
import { sbwHash, sbwWord } from '../../../src/watermarks/published/sbw.ts'
import { asPublished } from '../../../src/watermarks/reference.ts'

/** Returns n tokens with Zipf's law over V ids: P(i) proportional to 1 / (i + 1). */
export function zipfText(label: string, n: number, V = 1000): number[] {
  const sums = new Float64Array(V)
  for (let i = 0, sum = 0; i < V; i++) sums[i] = sum += 1 / (i + 1)
  const stream = seededRandom(1, label)
  return Array.from({ length: n }, () => {
    const u = stream.uniform() * sums[V - 1]!
    return sums.findIndex((sum) => sum > u)
  })
}

/** Writes n tokens, at each step drawn from the mark of a distribution over `candidates` random tokens, all as likely. */
export function markedText(
  watermark: AnyWatermark,
  key: string,
  n: number,
  { V = 1000, candidates = 40, label = 'marked' } = {},
): number[] {
  const stream = seededRandom(1, label)
  const text = embedder(watermark, { key, vocabSize: V, seed: 1, check: false })
  const tokens: number[] = []
  for (let t = 0; t < n; t++) {
    const p = new Float64Array(V)
    while (p.reduce((count, mass) => count + Number(mass > 0), 0) < candidates)
      p[Math.floor(V * stream.uniform())] = 1 / candidates
    const q = new Float64Array(V)
    text.reweight(tokens, p, q)
    let u = stream.uniform()
    let token = q.findLastIndex((mass) => mass > 0)
    for (let i = 0; i < token; i++)
      if (u < q[i]!) token = i
      else u -= q[i]!
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return tokens
}

/** SGLang: tries the keys 0 .. 2^bits - 1 on a text without its prompt. A key is dropped as soon as its mean score falls below a bound. */
export function searchSglang(tokens: readonly number[], bits: number): { keys: number[]; hashes: number } {
  const seen = new Set<string>()
  const places = tokens.flatMap((token, t) => {
    const context = tokens.slice(t - 4, t)
    if (t < 4 || seen.has(context.join())) return []
    seen.add(context.join())
    return [{ token, hash: murmurHash(context) }]
  })
  const keys: number[] = []
  let hashes = 0
  for (let key = 0; key < 2 ** bits; key++) {
    const start = murmurState([key, 0])
    let sum = 0
    let n = 0
    for (const { token, hash } of places) {
      sum += murmurLast(murmurState([hash], start), token, 4) / 2 ** 32
      n++
      // u of a marked token of 40 is 40/41 on average, of another 1/2: 0.8 lies far from both
      if (n >= 8 && sum < 0.8 * n) break
    }
    hashes += n
    if (n === places.length && sum >= 0.8 * n) keys.push(key)
  }
  return { keys, hashes }
}

/** The state of SGLang's hash behind a key: all that tokens depend on. */
export const sglangState = (key: bigint): number =>
  murmurState([Number(key & 0xffffffffn), Number(key >> 32n)])

/**
 * The probability that a token of the tail comes out where one token has the mass `head` and `n` others share the rest, if uniforms are
 * drawn from `values` equally likely ones, h / values: the head has the lowest id and wins ties.
 */
export function tailMass(values: number, head: number, n: number): number {
  const ratio = (1 - head) / n / head
  let wins = 0
  for (let h = 1; h < values; h++) {
    // the head loses against u with ln(u) / p_tail > ln(h / values) / head
    const u = Math.exp(Math.log(h / values) * ratio)
    wins += Math.min(1, (Math.floor(u * values) + 1) / values) ** n / values
  }
  return 1 - wins
}

/**
 * False alarms of the smaller of two p-values of TextSeal on independent exponentials: unweighted, and with the weights 0.1 + 0.9 e', e' the
 * entropies scaled to [0, 1], here uniform; each by a Gamma law with the mean and variance of the sum.
 */
export function minimumOfTwo(texts: number, n: number, levels: readonly number[]): number[] {
  const stream = seededRandom(1, 'two p-values')
  const exponential = () => -Math.log(1 - stream.uniform())
  const counts = levels.map(() => 0)
  const tail = (sum: number, mean: number, variance: number) =>
    Math.exp(logGammaTail((sum * mean) / variance, mean ** 2 / variance))
  for (let i = 0; i < texts; i++) {
    let [sum, weighted, mean, variance] = [0, 0, 0, 0]
    for (let t = 0; t < n; t++) {
      const score = (exponential() + exponential()) / 2
      const weight = 0.1 + 0.9 * stream.uniform()
      sum += score
      weighted += weight * score
      mean += weight
      variance += weight ** 2 / 2
    }
    const p = Math.min(tail(sum, n, n / 2), tail(weighted, mean, variance))
    for (const [k, level] of levels.entries()) counts[k]! += Number(p <= level)
  }
  return counts.map((count) => count / texts)
}

/** A wrapping 64-bit product as (low, high) words. */
const times = ([a, b]: KeyWords, [c, d]: KeyWords): KeyWords => [
  Math.imul(a, c) >>> 0,
  (multiplyHigh(a, c) + Math.imul(a, d) + Math.imul(b, c)) | 0,
]

/** SBW lefthash, width 1: the seed of its generator, key times token, and of its detector, key times the hashed token. */
export function lefthashSeeds(key: bigint, previous: number): { generator: KeyWords; detector: KeyWords } {
  const words = keyWords(key)
  const hash = sbwHash(previous)
  return { generator: times(words, [previous, 0]), detector: times(words, [hash >>> 0, hash >> 31]) }
}

/** SBW lefthash: how often generator and detector give a token the same colour, over random pairs; gamma = 1/2. */
export function lefthashAgreement(key: bigint, pairs: number): number {
  const stream = seededRandom(1, 'lefthash')
  const green = (seed: KeyWords, token: number) =>
    (sbwWord(seed, token) & 0x7fffffff) < Math.floor((2 ** 31 - 1) / 2)
  let same = 0
  for (let i = 0; i < pairs; i++) {
    const [previous, token] = [
      1 + Math.floor(50_000 * stream.uniform()),
      Math.floor(50_000 * stream.uniform()),
    ]
    const { generator, detector } = lefthashSeeds(key, previous)
    same += Number(green(generator, token) === green(detector, token))
  }
  return same / pairs
}

/** How often a p-value is at most each level, over unmarked texts, each under a key of its own. */
export function falseAlarms(
  pValue: (tokens: number[], key: number) => number,
  { texts, n, levels }: { texts: number; n: number; levels: readonly number[] },
): number[] {
  const counts = levels.map(() => 0)
  for (let i = 0; i < texts; i++) {
    const p = pValue(zipfText(`unmarked ${i}`, n), 1_000_003 + 7919 * i)
    for (const [k, level] of levels.entries()) counts[k]! += Number(p <= level)
  }
  return counts.map((count) => count / texts)
}

/** SBW selfhash: false alarms of vLLM's normal p-value on texts of 200 tokens. */
export function selfhashAlarms(texts: number, levels: readonly number[]): number[] {
  const watermark = asPublished(kgw({ delta: 2, detector: 'published' }), 'vllm-sbw')
  return falseAlarms((tokens, key) => detect(watermark, tokens, { key, vocabSize: 1000 }).pValue, {
    ...{ texts, n: 200, levels },
  })
}

/** StealthInk: p-values of unmarked texts, sorted. Each of n tokens has one of 24 positions and one of two halves; p is the lower binomial tail of the sum of smaller counts. */
export function stealthInkPValues(texts: number, n: number): number[] {
  const stream = seededRandom(1, 'stealthink')
  return Array.from({ length: texts }, () => {
    const counts = new Int32Array(48)
    for (let t = 0; t < n; t++) counts[Math.floor(48 * stream.uniform())]!++
    let smaller = 0
    for (let i = 0; i < 48; i += 2) smaller += Math.min(counts[i]!, counts[i + 1]!)
    return Math.exp(logBinomialTail(n - smaller, n, 1 / 2))
  }).sort((a, b) => a - b)
}

/** BiMark: the share of unmarked texts with p at most a level. Each of n tokens votes for one of `bits` bits; the sum of per-bit maxima is tested against n / 2 by a normal law. */
export function bimarkAlarms(texts: number, n: number, bits: number, level: number): number {
  const stream = seededRandom(1, `bimark ${bits}`)
  let alarms = 0
  for (let i = 0; i < texts; i++) {
    const votes = new Int32Array(2 * bits)
    for (let t = 0; t < n; t++) votes[Math.floor(2 * bits * stream.uniform())]!++
    let most = 0
    for (let b = 0; b < bits; b++) most += Math.max(votes[2 * b]!, votes[2 * b + 1]!)
    alarms += Number(Math.exp(logNormalTail((most - n / 2) / Math.sqrt(n / 4))) <= level)
  }
  return alarms / texts
}

/** HeavyWater: how often the normal p-value of sum / sqrt n is at most each level: scores are entries of rows of 1,024 lognormal numbers, standardised. */
export function heavyWaterAlarms(texts: number, n: number, levels: readonly number[]): number[] {
  const stream = seededRandom(1, 'heavywater')
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - stream.uniform())) * Math.cos(2 * Math.PI * stream.uniform())
  const k = 1024
  const rows = Array.from({ length: 200 }, () => {
    const row = Float64Array.from({ length: k }, () => Math.exp(normal()))
    const mean = row.reduce((sum, x) => sum + x, 0) / k
    const deviation = Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / k)
    return row.map((x) => (x - mean) / deviation)
  })
  const counts = levels.map(() => 0)
  for (let i = 0; i < texts; i++) {
    let sum = 0
    for (let t = 0; t < n; t++)
      sum += rows[Math.floor(200 * stream.uniform())]![Math.floor(k * stream.uniform())]!
    const p = Math.exp(logNormalTail(sum / Math.sqrt(n)))
    for (const [at, level] of levels.entries()) counts[at]! += Number(p <= level)
  }
  return counts.map((count) => count / texts)
}

/** TGI: p-values of a text of a shorter row of a batch, every token of which has the list after token 0: by the lists of the text, and by that one list. */
export function shorterRow(n: number, V: number): { byText: number; byZero: number } {
  const list = new Set(kgwGreenlist({ hashingKey: 15485863, previous: 0, vocabSize: V, ratio: 1 / 2 }))
  const stream = seededRandom(1, 'shorter row')
  const share = Math.exp(2) / (Math.exp(2) + 1)
  const [green, red] = [[...list], Array.from({ length: V }, (_, i) => i).filter((i) => !list.has(i))]
  const from = (ids: number[]) => ids[Math.floor(ids.length * stream.uniform())]!
  const tokens = Array.from({ length: n }, () => from(stream.uniform() < share ? green : red))
  const inList = tokens.filter((token) => list.has(token)).length
  return {
    byText: detect(asPublished(kgw({ delta: 2 }), 'tgi'), tokens, { vocabSize: V }).pValue,
    byZero: Math.exp(logBinomialTail(inList, n, 1 / 2)),
  }
}
