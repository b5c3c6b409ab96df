import { number, oneOf } from '../../input.ts'
import type { Alternative } from './binomial-test.ts'
import { realValues } from './real-values.ts'

/**
 * Are values in [0, 1] uniform? The largest distance between their empirical distribution function F and the
 * diagonal, with a p-value that is an upper bound for every n: the Dvoretzky-Kiefer-Wolfowitz inequality with
 * Massart's constant (Ann. Probab. 1990),
 *   P(sup(F(x) - x) >= d) <= e^(-2nd^2) where that is at most 1/2, and twice that for sup |F(x) - x|.
 *
 * 'greater' looks only at F above the diagonal (too many small values); for values that are super-uniform, as valid
 * p-values are, its p-value stays valid. For a law with a continuous distribution function C, pass the values C(x).
 *
 * @example kolmogorovTest([0.1, 0.2, 0.3, 0.4], 'greater') // { statistic: 0.6, pValue: 0.056, logPValue: -2.88 }
 */
export function kolmogorovTest(
  values: ArrayLike<number>,
  alternative: Alternative = 'two-sided',
): { statistic: number; pValue: number; logPValue: number } {
  const sorted = realValues('values', values).sort()
  oneOf('alternative', alternative, ['greater', 'less', 'two-sided'])
  number('values', sorted[0], 0, 1)
  number('values', sorted[sorted.length - 1], 0, 1)
  const n = sorted.length
  let [above, below] = [0, 0]
  for (let i = 0; i < n; i++) {
    above = Math.max(above, (i + 1) / n - sorted[i]!)
    below = Math.max(below, sorted[i]! - i / n)
  }
  const statistic =
    alternative === 'greater' ? above : alternative === 'less' ? below : Math.max(above, below)
  const oneSided = -2 * n * statistic * statistic
  const logPValue = oneSided > -Math.LN2 ? 0 : alternative === 'two-sided' ? oneSided + Math.LN2 : oneSided
  return { statistic, pValue: Math.exp(logPValue), logPValue }
}
