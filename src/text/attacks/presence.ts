/**
 * Tests whether a model is watermarked, without the key and from its answers alone (the questions are those of Gloaguen, Jovanović, Staab and Vechev,
 * "Black-Box Detection of Language Model Watermarks", ICLR 2025; the tests are our own and state their level).
 *
 * Red-green: a mark with contexts prefers other tokens after other contexts, and the same ones after the same context whatever stands before it. Ask
 * prompts (strata) that end in contexts (labels) which should not matter, or ask the model and an unmarked stand-in (two labels). Without a mark
 * the labels of a stratum are exchangeable, so the p-value of the permutation test is valid. The statistic adds over labels and tokens the square of
 * the deviations summed over strata: what a mark does again and again grows with the square of the strata, noise with their number.
 */

import { checkSeed, checkTokens, MAX_VOCAB, seededRandom } from '../../core/keys/index.ts'
import { logLatticeTail } from '../../core/stats/index.ts'
import { integer, list, number, outOfRange, requireOptions } from '../../input.ts'

export interface PresenceOptions {
  /** Random relabellings; the smallest p-value is 1 / (1 + runs). Default 999. */
  readonly runs?: number
  readonly seed?: number | string
}

/** The outcome of a test whether a model is marked. */
export interface PresenceTest {
  readonly statistic: number
  /** P(p <= a) <= a for every a, if the model has no mark. */
  readonly pValue: number
}

/** The answers to one prompt, with the label of each. */
interface Stratum {
  readonly tokens: Int32Array
  readonly labels: Int32Array
  /** Share of the answers of each label. */
  readonly shares: Float64Array
}

function stratumOf(groups: readonly ArrayLike<number>[], labels: number, at: number): Stratum {
  if (groups.length !== labels)
    throw outOfRange(`strata[${at}]`, `${labels} lists, as many as strata[0]`, groups.length)
  groups.forEach((answers, j) => {
    checkTokens(answers, MAX_VOCAB, `strata[${at}][${j}]`)
  })
  const tokens = Int32Array.from(groups.flatMap((answers) => Array.from(answers)))
  const shares = Float64Array.from(groups, (answers) => answers.length / Math.max(1, tokens.length))
  return {
    tokens,
    labels: Int32Array.from(groups.flatMap((answers, j) => Array.from(answers, () => j))),
    shares,
  }
}

/** Adds over labels and tokens the square of the deviations summed over strata, each divided by the token's number. */
function statisticOf(
  strata: readonly Stratum[],
  labels: number,
  numbers: ReadonlyMap<number, number>,
): number {
  const rows = new Map([...numbers.keys()].map((token, row) => [token, row]))
  const deviations = new Float64Array(labels * rows.size)
  for (const { tokens, labels: own, shares } of strata)
    for (let i = 0; i < tokens.length; i++) {
      const row = rows.get(tokens[i]!)! * labels
      deviations[row + own[i]!]!++
      for (let j = 0; j < labels; j++) deviations[row + j]! -= shares[j]!
    }
  let sum = 0
  for (const [token, row] of rows)
    for (let j = 0; j < labels; j++) sum += deviations[row * labels + j]! ** 2 / numbers.get(token)!
  return sum
}

/**
 * Tests for a mark whose preferences depend on the context: `strata[i][j]` are the tokens that prompt i got with label j.
 * @example redGreenTest([[[1, 1, 1, 1], [2, 2, 2, 2]], [[1, 1, 1, 1], [2, 2, 2, 2]]]).pValue // 0.001: label 0 always gets token 1
 */
export function redGreenTest(
  strata: readonly (readonly ArrayLike<number>[])[],
  options: PresenceOptions = {},
): PresenceTest {
  requireOptions('redGreenTest', options, ['runs', 'seed'])
  const runs = integer('runs', options.runs ?? 999, 1, 1_000_000)
  const { seed = 0 } = options
  checkSeed(seed)
  if (list('strata', strata, 'a list of prompts').length === 0)
    throw outOfRange('strata', 'at least one prompt', strata)
  const labels = list('strata[0]', strata[0], 'the answers by label').length
  const all = Array.from(strata, (groups, i) => stratumOf(Array.from(groups), labels, i))
  const numbers = new Map<number, number>()
  for (const { tokens } of all) for (const token of tokens) numbers.set(token, (numbers.get(token) ?? 0) + 1)
  const statistic = statisticOf(all, labels, numbers)
  const stream = seededRandom(seed, 'presence')
  let hits = 0
  for (let run = 0; run < runs; run++) {
    for (const { tokens } of all)
      for (let i = tokens.length - 1; i > 0; i--) {
        const j = stream.below(i + 1)
        ;[tokens[i], tokens[j]] = [tokens[j]!, tokens[i]!]
      }
    // equal sums added in another order may differ in the last bits: they count as equal, which only raises p
    if (statisticOf(all, labels, numbers) >= statistic * (1 - 1e-9)) hits++
  }
  return { statistic, pValue: (1 + hits) / (1 + runs) }
}

/**
 * Tests for a cache: a model that marks a context only when it first sees it answers later questions otherwise. `first[i]` and `again[i]` are the
 * tokens that prompt i got from a fresh model and afterwards.
 * @example cacheTest([[1, 1, 1, 1, 1, 1]], [[1, 2, 3, 1, 2, 3]]).pValue < 0.1 // true
 */
export const cacheTest = (
  first: readonly ArrayLike<number>[],
  again: readonly ArrayLike<number>[],
  options: PresenceOptions = {},
): PresenceTest => {
  if (list('again', again, 'a list of prompts').length !== list('first', first, 'a list of prompts').length)
    throw outOfRange('again', `${first.length} prompts, as many as first`, again.length)
  return redGreenTest(
    Array.from(first, (answers, i) => [answers, again[i]!]),
    options,
  )
}

/**
 * Tests for fixed sampling: a mark that draws from its key alone gives the same answer to the same question again. `collision` bounds the chance that two
 * answers of an unmarked model are equal: exp(-n h) if each of n tokens has at least h nats of collision entropy. Of N answers the
 * equal ones among floor(N / 2) separate pairs are at most Binomial(floor(N / 2), collision), and the equal ones among all N (N - 1) / 2 pairs are k or
 * more with probability at most N (N - 1) / 2 collision / k (Markov). The p-value is twice the smaller bound.
 * @example fixedSamplingTest([[1, 2], [1, 2], [1, 2], [1, 2]], { collision: 0.01 }).pValue // 2e-4: both pairs are equal
 */
export function fixedSamplingTest(
  answers: readonly ArrayLike<number>[],
  options: { readonly collision: number },
): PresenceTest {
  requireOptions('fixedSamplingTest', options, ['collision'])
  const collision = number('collision', options.collision, 0, 1)
  const all = Array.from(list<ArrayLike<number>>('answers', answers, 'a list of answers'), (answer, i) => {
    checkTokens(answer, MAX_VOCAB, `answers[${i}]`)
    return Array.from(answer).join()
  })
  const pairs = Math.floor(all.length / 2)
  let separate = 0
  for (let i = 0; i < pairs; i++) if (all[2 * i] === all[2 * i + 1]) separate++
  const counts = new Map<string, number>()
  for (const answer of all) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  let equal = 0
  for (const n of counts.values()) equal += (n * (n - 1)) / 2
  if (equal === 0) return { statistic: 0, pValue: 1 }
  const markov = (((all.length * (all.length - 1)) / 2) * collision) / equal
  const exact = separate === 0 ? 1 : Math.exp(logLatticeTail([1 - collision, collision], separate, pairs))
  return { statistic: equal, pValue: Math.min(1, 2 * Math.min(markov, exact)) }
}
