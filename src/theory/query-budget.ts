/**
 * Query budget: how often one step must be repeated before its law under a fixed key can be told from the model's. Theorem 1
 * says that such a number exists for every detectable watermark; this computes it.
 *
 * `informed`: the observer knows the key. For each key the smallest m with TV(q_k^m, p^m) >= t; the median over keys.
 * `blind`: the observer knows the method only. The smallest m with TV(E_k q_k^m, p^m) >= t; at m = 1 this distance is 0
 * exactly when the method is unbiased.
 */

import { smallest, totalVariation } from '../core/stats/index.ts'
import { number, oneOf, refuseUnknown } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { amplificationBracket, bhattacharyya, type QueryRange } from './amplification.ts'
import { countVectors, distance, distinctOutcomes, MAX_COUNT_VECTORS } from './products.ts'
import { type StepLawOptions, type StepMember, stepLaw } from './step-law.ts'

export interface QueryBudgetOptions extends StepLawOptions {
  /** `informed`, the default: the observer knows the key. */
  readonly observer?: 'informed' | 'blind'
  /** The total variation to reach; default 1/2. */
  readonly distance?: number
}

/** The number of queries of one step, and how it was found. */
export interface QueryBudget extends QueryRange {
  /** low = high is the smallest number of queries itself; a wider range says that more queries were too many to compute. */
  readonly exact: boolean
  /** Share of keys whose q differs from p; the others can never be told. */
  readonly affected: number
}

const never: QueryRange = { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY }

/** Returns the most queries whose count vectors can be listed. */
function mostQueries(outcomes: number): number {
  let m = 1
  while (m < 2 ** 30 && countVectors(outcomes, 2 * m) <= MAX_COUNT_VECTORS) m *= 2
  return m
}

/** Finds the m at which the total variation reaches t, by bisection: it never falls with m. */
function search(members: readonly StepMember[], p: Float64Array, t: number, bracket: QueryRange): QueryRange {
  const most = mostQueries(distinctOutcomes(p, members))
  const reaches = (m: number): boolean => distance(members, p, m) >= t
  if (bracket.low > most) return bracket
  if (bracket.high <= most) {
    const m = smallest(reaches, bracket.low - 1, bracket.high)
    return { low: m, high: m }
  }
  let low = bracket.low
  for (let m = low; ; m = Math.min(most, 2 * m)) {
    if (reaches(m)) {
      const found = smallest(reaches, low - 1, m)
      return { low: found, high: found }
    }
    low = m + 1
    if (m === most) return { low, high: bracket.high }
  }
}

/** Tells whether q is p, but for rounding. */
const same = (q: Float64Array, p: Float64Array): boolean => totalVariation(q, p) < 1e-12

function informedRange(
  { q, weight }: StepMember,
  p: Float64Array,
  t: number,
): QueryRange & { weight: number } {
  if (same(q, p)) return { ...never, weight }
  return { ...search([{ q, weight: 1 }], p, t, amplificationBracket(bhattacharyya(q, p), t)), weight }
}

/** Returns the smallest x that half of the weight does not exceed. */
function weightedMedian(values: readonly { readonly x: number; readonly weight: number }[]): number {
  const sorted = values.toSorted((a, b) => (a.x < b.x ? -1 : 1))
  let seen = 0
  for (const { x, weight } of sorted) {
    seen += weight
    if (seen >= 0.5 - 1e-12) return x
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Returns the smallest number of queries of one step, all under the same key, that reach the given total variation.
 *
 * @example
 * const p = Float64Array.of(0.5, 0.3, 0.2)
 * queryBudget(dipmark({ alpha: 0.4 }), p, { observer: 'informed' }) // { low: 2, high: 2, ... }
 */
export function queryBudget<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  options: QueryBudgetOptions = {},
): QueryBudget {
  refuseUnknown('queryBudget', options, ['observer', 'distance', 'keys', 'seed'])
  const { keys, seed } = options
  const observer = oneOf('observer', options.observer ?? 'informed', ['informed', 'blind'])
  const t = number('distance', options.distance ?? 0.5, 0, 1, true)
  const law = stepLaw(watermark, p, { keys, seed })
  const affected = law.members.reduce((sum, { q, weight }) => sum + (same(q, p) ? 0 : weight), 0)
  if (observer === 'informed') {
    const ranges = law.members.map((member) => informedRange(member, p, t))
    const low = weightedMedian(ranges.map(({ low: x, weight }) => ({ x, weight })))
    const high = weightedMedian(ranges.map(({ high: x, weight }) => ({ x, weight })))
    return { low, high, exact: law.exact && low === high, affected }
  }
  // the distance tends to `affected` and never gets there: q has no mass where p has none, so no key is told for certain
  if (t >= affected - 1e-12) return { ...never, exact: law.exact, affected }
  const range = search(law.members, p, t, { low: 1, high: Number.POSITIVE_INFINITY })
  return { ...range, exact: law.exact && range.low === range.high, affected }
}
