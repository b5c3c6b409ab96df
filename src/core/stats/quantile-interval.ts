import { number } from '../../input.ts'
import { largest } from './bisect.ts'
import type { Interval } from './clopper-pearson.ts'
import { logBinomialTail } from './log-binomial-tail.ts'
import { realValues } from './real-values.ts'

/**
 * A distribution-free confidence interval for a quantile of the law that the values come from, between two of them.
 *
 * With B ~ Binomial(n, level), the r-th smallest value lies above the quantile with probability at most P(B < r) and
 * the s-th below it with at most P(B >= s): r is the largest and s the smallest with half of 1 - confidence each.
 * Valid for every law, ties and atoms included; for small n an end is infinite. `coverage` is what the two ranks
 * guarantee, at least `confidence`.
 *
 * @example quantileInterval([1, 2, 3, 4, 5, 6, 7, 8, 9], 0.5, 0.95) // { low: 2, high: 8, coverage: 0.961 }
 */
export function quantileInterval(
  values: ArrayLike<number>,
  level: number,
  confidence = 0.95,
): Interval & { readonly coverage: number } {
  const sorted = realValues('values', values).sort()
  number('level', level, 0, 1, true)
  number('confidence', confidence, 0, 1, true)
  const n = sorted.length
  const log = Math.log((1 - confidence) / 2)
  const below = (r: number) => logBinomialTail(n - r + 1, n, 1 - level) // ln P(B < r)
  const above = (s: number) => logBinomialTail(s, n, level) // ln P(B >= s)
  const r = largest((rank) => below(rank) <= log, n)
  const s = n + 1 - largest((rank) => above(n + 1 - rank) <= log, n)
  return {
    low: r === 0 ? Number.NEGATIVE_INFINITY : sorted[r - 1]!,
    high: s === n + 1 ? Number.POSITIVE_INFINITY : sorted[s - 1]!,
    coverage: 1 - Math.exp(below(r)) - Math.exp(above(s)),
  }
}
