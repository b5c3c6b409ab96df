/**
 * Texts against texts: pairs of a marked and an unmarked text of one prompt. If the mark is unbiased and no context occurs in two marked texts,
 * swapping the texts of a pair changes nothing: given their sizes, differences have independent random signs.
 *
 * T_k = |sum_i d_ik| / sqrt(sum_i d_ik^2) for each of K features. By Hoeffding's inequality for random signs, P(max T >= t) <= 2 K e^(-t^2 / 2):
 * exact at any level, and used below 10 / (1 + FLIPS); from there on, max T is compared with FLIPS random flips of all signs of a pair together.
 *
 * Contexts that recur across texts share their randomness. If m_c texts use context c, the variance of a mean over positions grows by at most the
 * design effect sum m_c^2 / sum m_c: T is divided by its root, and the null is then approximate.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { repeatedNgrams } from '../../text/metrics/index.ts'
import type { Completion } from './answer.ts'

export interface Pair {
  readonly marked: Completion
  readonly plain: Completion
  /** Mean log-likelihoods of both under a scoring model, where one is given. */
  readonly scores?: readonly [marked: number, plain: number]
}

const FLIPS = 9999
const BUCKETS = 8

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

function bucketOf(words: readonly string[]): number {
  let h = 0x811c9dc5
  for (const word of words)
    for (let i = 0; i <= word.length; i++) h = Math.imul(h ^ (word.charCodeAt(i) || 32), 0x01000193)
  return ((h ^ (h >>> 15)) >>> 0) % BUCKETS
}

/** Shares of n-grams of words that fall into each bucket. */
export function shares(words: readonly string[], n: number): number[] {
  const counts = new Array<number>(BUCKETS).fill(0)
  for (let i = 0; i + n <= words.length; i++) counts[bucketOf(words.slice(i, i + n))]!++
  return counts.map((count) => count / Math.max(1, words.length - n + 1))
}

const names = [
  'length',
  'texts cut at the limit',
  'repeated 4-grams',
  'distinct words',
  'likelihood under the server',
  'likelihood under the scoring model',
  ...[1, 2].flatMap((n) => Array.from({ length: BUCKETS }, (_, b) => `hashed ${n}-grams, bucket ${b}`)),
]

function featuresOf({ text, tokens, finish, logprobs }: Completion, score: number | undefined): number[] {
  const words = wordsIn(text)
  const mean = logprobs === undefined ? 0 : logprobs.reduce((a, b) => a + b, 0) / Math.max(1, logprobs.length)
  return [
    tokens.length,
    finish === 'length' ? 1 : 0,
    repeatedNgrams(tokens, 4),
    words.length === 0 ? 0 : new Set(words).size / words.length,
    mean,
    score ?? 0,
    ...shares(words, 1),
    ...shares(words, 2),
  ]
}

/** The design effect of contexts that several texts use, and the share of positions whose context another text has too. */
function recurrence(
  texts: readonly (readonly number[])[],
  width: number,
): { readonly effect: number; readonly share: number } {
  const uses = new Map<string, number>()
  for (const tokens of texts) {
    const own = new Set(tokens.map((_, t) => tokens.slice(Math.max(0, t - width), t).join()))
    for (const context of own) uses.set(context, (uses.get(context) ?? 0) + 1)
  }
  let [sum, squares, shared] = [0, 0, 0]
  for (const m of uses.values()) {
    sum += m
    squares += m * m
    if (m > 1) shared += m
  }
  return sum === 0 ? { effect: 1, share: 0 } : { effect: squares / sum, share: shared / sum }
}

export interface PairsFinding {
  readonly feature: string
  /** Mean of the feature with the mark minus without. */
  readonly difference: number
  readonly pValue: number
  /** 'flips' or 'bound': how the p-value was computed. */
  readonly by: 'flips' | 'bound'
  readonly effect: number
  readonly share: number
  /** The smallest difference of a mean, in standard deviations of the pairs' differences, that is certain to be seen but for `miss`. */
  readonly sees: number
}

/** Tests the pairs at a level. */
export function testPairs(pairs: readonly Pair[], width: number, level: number, miss: number): PairsFinding {
  const rows = pairs.map(({ marked, plain, scores }) => {
    const other = featuresOf(plain, scores?.[1])
    return featuresOf(marked, scores?.[0]).map((value, k) => value - other[k]!)
  })
  const norms = names.map((_, k) => Math.sqrt(rows.reduce((sum, row) => sum + row[k]! ** 2, 0)))
  const scaled = rows.map((row) => row.map((d, k) => (norms[k] === 0 ? 0 : d / norms[k]!)))
  const { effect, share } = recurrence(
    pairs.map(({ marked }) => marked.tokens),
    width,
  )
  const totals = new Float64Array(names.length)
  const largest = (signs: (i: number) => number): { k: number; t: number } => {
    totals.fill(0)
    for (const [i, row] of scaled.entries()) {
      const sign = signs(i)
      for (let k = 0; k < row.length; k++) totals[k]! += sign * row[k]!
    }
    let k = 0
    for (let j = 1; j < totals.length; j++) if (Math.abs(totals[j]!) > Math.abs(totals[k]!)) k = j
    return { k, t: Math.abs(totals[k]!) }
  }
  const found = largest(() => 1)
  const t = found.t / Math.sqrt(effect)
  const tests = norms.filter((norm) => norm > 0).length
  const by = level >= 10 / (1 + FLIPS) ? 'flips' : 'bound'
  // equal texts, or none, differ in no feature
  let pValue = tests === 0 ? 1 : Math.min(1, 2 * tests * Math.exp((-t * t) / 2))
  if (by === 'flips') {
    const stream = seededRandom(0, 'sign flips')
    let hits = 1
    for (let run = 0; run < FLIPS; run++)
      if (largest(() => (stream.below(2) === 0 ? 1 : -1)).t >= t - 1e-9) hits++
    pValue = hits / (1 + FLIPS)
  }
  const needed =
    Math.sqrt(2 * effect * Math.log((2 * names.length) / level)) + Math.sqrt(2 * Math.log(1 / miss))
  return {
    feature: names[found.k]!,
    difference: rows.reduce((sum, row) => sum + row[found.k]!, 0) / Math.max(1, rows.length),
    pValue,
    by,
    effect,
    share,
    sees: needed / Math.sqrt(Math.max(1, pairs.length)),
  }
}
