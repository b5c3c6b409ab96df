import { outOfRange } from '../../input.ts'
import { realValues } from './real-values.ts'

/**
 * The total variation distance of two distributions on the same points, half the sum of |p - q|: the largest
 * difference in probability that they give to any event.
 *
 * @example totalVariation([0.5, 0.5], [0.75, 0.25]) // 0.25
 */
export function totalVariation(p: ArrayLike<number>, q: ArrayLike<number>): number {
  const [left, right] = [realValues('p', p), realValues('q', q)]
  if (left.length !== right.length) throw outOfRange('q', `${left.length} values, as many as p`, q)
  return left.reduce((sum, value, i) => sum + Math.abs(value - right[i]!), 0) / 2
}
