/** Distances between distributions on a finite set. */
import { outOfRange } from '../input.ts'
import { probabilities } from './checked.ts'

/** A distribution: non-negative numbers that sum to 1. */
export type Distribution = ArrayLike<number>

/**
 * The Bhattacharyya coefficient, sum of sqrt(p q): 1 when the two are equal, 0 when nothing can come from both. Over
 * independent repetitions it multiplies.
 *
 * @example bhattacharyya([1, 0], [0.5, 0.5]) // 0.7071
 */
export function bhattacharyya(p: Distribution, q: Distribution): number {
  const [left, right] = [probabilities('p', p), probabilities('q', q)]
  if (left.length !== right.length) throw outOfRange('q', `as many outcomes as p (${left.length})`, q)
  let sum = 0
  for (let i = 0; i < left.length; i++) sum += Math.sqrt(left[i]! * right[i]!)
  return Math.min(1, sum)
}
