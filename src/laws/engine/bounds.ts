/**
 * Deviation bounds for means of bounded vectors. Levels are given in nats, ln(1/level): a level of 1e-12 divided over 2^16
 * events then loses nothing.
 *
 * Vocabulary, the same everywhere in this room:
 * - *false alarm*: the chance that a correct watermark fails;
 * - *miss*: the chance that one whose bias is at least `bias` passes;
 * - *bias*: the total variation between the mean of q over keys and p, `max_A E q(A) - p(A)`.
 */

/** Hoeffding: a mean of n independent values in an interval of length `range` exceeds its expectation by this much with probability at most e^-nats. */
export const hoeffding = (n: number, nats: number, range = 1): number => range * Math.sqrt(nats / (2 * n))

/**
 * Empirical Bernstein (Maurer and Pontil 2009, theorem 4): the expectation exceeds the mean of n independent values in an
 * interval of length `range` and sample variance `variance` by this much with probability at most e^-nats.
 */
export const empiricalBernstein = (n: number, variance: number, nats: number, range = 1): number =>
  Math.sqrt((2 * variance * (nats + Math.LN2)) / n) + (7 * range * (nats + Math.LN2)) / (3 * (n - 1))

/** ln(2^m - 2): how many sets of m outcomes are neither empty nor everything. */
const logProperSubsets = (m: number): number => m * Math.LN2 + Math.log1p(-(2 ** (1 - m)))

/**
 * The total variation that the mean of n independent vectors reaches with probability at most e^-nats although its
 * expectation is right. The smaller of two bounds:
 * - Hoeffding for each of the 2^m - 2 sets of outcomes, good for few outcomes;
 * - McDiarmid around the expectation, `E TV <= 1/2 sum_i sqrt(Var_i / n)`, good for many.
 * @param spread `sum_i sqrt(Var_i)`, or a bound of it
 * @param range 1 for vectors against a fixed distribution, 2 for the difference of two random ones
 */
export function totalVariationThreshold(
  m: number,
  n: number,
  nats: number,
  spread: number,
  range: number,
): number {
  const union = hoeffding(n, nats + logProperSubsets(m), range)
  const concentrated = spread / (2 * Math.sqrt(n)) + hoeffding(n, nats, range)
  return Math.min(union, concentrated)
}
