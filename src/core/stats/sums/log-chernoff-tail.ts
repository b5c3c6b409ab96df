import { list, number, outOfRange } from '../../../input.ts'
import { logScale, saddle, weightedBernoulli } from './weighted-bernoulli.ts'

/**
 * An upper bound on ln P(w1 B1 + ... + wm Bm >= sum) for independent Bernoulli(rate) bits and any weights of at least
 * 0: a p-value from it is valid but not exact. For whole weights `logWeightedBernoulliTail` is exact.
 *
 * Chernoff: P <= E e^(θ(X - sum)) for every θ >= 0, here at the best θ. Since `sum` and the weights are rounded
 * numbers, the bound is taken a hair (1e-12 of the largest sum) below `sum`, so that rounding cannot turn it into
 * less than the true probability.
 *
 * @example logChernoffTail(2, [0.7, 0.9, 1.1], 0.5) // ln 0.703; the truth (0.9 + 1.1, or all three) is ln 1/4
 */
export function logChernoffTail(
  sum: number,
  weights: ArrayLike<number>,
  rate: number,
  counts?: ArrayLike<number>,
): number {
  list('weights', weights, 'a list of weights')
  if (counts !== undefined) list('counts', counts, 'a list of counts')
  number('sum', sum, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const law = weightedBernoulli(weights, rate, counts, false)
  // below, tilts leave the range of float64
  if (rate > 0 && rate < 1e-300) throw outOfRange('rate', '0 or a number in [1e-300, 1]', rate)
  const slack = 1e-12 * law.total
  const at = sum - slack
  if (at <= 0 || rate === 1) return at > law.total ? Number.NEGATIVE_INFINITY : 0
  if (at > law.total || rate === 0) return Number.NEGATIVE_INFINITY
  // at the very top only "all ones" is left, and no finite tilt has that mean
  if (at >= law.total - 2 * slack) return law.size * Math.log(rate)
  return Math.min(0, logScale(law, saddle(law, at), at))
}
