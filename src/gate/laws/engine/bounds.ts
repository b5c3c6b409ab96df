/**
 * Deviation bounds for means of bounded vectors. Levels are given in nats, ln(1/level): a level of 1e-12 divided over 2^16
 * events then loses nothing.
 *
 * Vocabulary, the same everywhere in this room:
 * - *false alarm*: the chance that a correct watermark fails;
 * - *miss*: the chance that one whose bias is at least `bias` passes;
 * - *bias*: the total variation between the mean of q over keys and p, `max_A E q(A) - p(A)`.
 */

import { number } from '../../../input.ts'

/** The error rates that a sampled test promises, in both directions. */
export interface Rates {
  readonly falseAlarm: number
  readonly miss: number
  /** The bias that `miss` speaks about. */
  readonly bias: number
}

export type Verdict = 'holds' | 'fails'

export function checkRates({ falseAlarm, miss, bias }: Rates): void {
  number('falseAlarm', falseAlarm, 0, 0.5, true)
  number('miss', miss, 0, 0.5, true)
  number('bias', bias, 0, 1, true)
}

/** Hoeffding: a mean of n independent values in [0, 1] exceeds its expectation by this much with probability at most e^-nats. */
export const hoeffding = (n: number, nats: number): number => Math.sqrt(nats / (2 * n))

/**
 * Empirical Bernstein (Maurer and Pontil 2009, theorem 4): the expectation exceeds the mean of n independent values in
 * [0, 1] of sample variance `variance` by this much with probability at most e^-nats.
 */
export const empiricalBernstein = (n: number, variance: number, nats: number): number =>
  Math.sqrt((2 * variance * (nats + Math.LN2)) / n) + (7 * (nats + Math.LN2)) / (3 * (n - 1))

/** ln(2^m - 2): the number of sets of m outcomes that are neither empty nor everything. */
const logProperSubsets = (m: number): number => m * Math.LN2 + Math.log1p(-(2 ** (1 - m)))

/**
 * The total variation that the mean of n independent vectors reaches with probability at most e^-nats although its
 * expectation is right. The smaller of two bounds:
 * - Hoeffding for each of the 2^m - 2 sets of outcomes, good for few outcomes;
 * - McDiarmid around the expectation, `E TV <= 1/2 sum_i sqrt(Var_i / n)`, good for many.
 * @param spread `sum_i sqrt(Var_i)`, or a bound of it
 */
export function totalVariationThreshold(m: number, n: number, nats: number, spread: number): number {
  const union = hoeffding(n, nats + logProperSubsets(m))
  const concentrated = spread / (2 * Math.sqrt(n)) + hoeffding(n, nats)
  return Math.min(union, concentrated)
}
