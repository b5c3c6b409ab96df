import { number, outOfRange } from '../../input.ts'
import { realValues } from './real-values.ts'

/**
 * The empirical quantile, linear between order statistics (Hyndman and Fan's type 7, the default of R and NumPy).
 *
 * @example quantile([1, 2, 3, 4], 0.5) // 2.5
 */
export function quantile(values: ArrayLike<number>, level: number): number {
  const sorted = realValues('values', values).sort()
  number('level', level, 0, 1)
  const at = level * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  const share = at - Math.floor(at)
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY)
    throw outOfRange('values', 'no quantile between -Infinity and Infinity', values)
  // low + (high - low) share would be NaN between two equal infinities
  return share === 0 || low === high ? low : low * (1 - share) + high * share
}

/**
 * The empirical median.
 *
 * @example median([3, 1, 2]) // 2
 */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5)
