/**
 * Theorem 1: independent repetitions separate any two laws. BC multiplies, so TV(P^m, Q^m) >= 1 - BC^m, which tends
 * to 1 when P and Q differ; and TV <= sqrt(1 - BC^2m). The two bracket the m at which TV reaches a given t.
 */
import { integer, number, outOfRange } from '../input.ts'
import { type Distribution, probabilities } from './checked.ts'

/**
 * Returns the Bhattacharyya coefficient, the sum of sqrt(p q): 1 when the two are equal, 0 when nothing can come from both. Over
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

/**
 * Returns the amplification bound of Theorem 1: TV(P^m, Q^m) is at least this.
 *
 * @example amplificationBound(0.9, 10) // 1 - 0.9^10 = 0.6513
 */
export function amplificationBound(bc: number, m: number): number {
  number('bc', bc, 0, 1)
  return 1 - bc ** integer('m', m, 0)
}

/**
 * Returns the upper bound on TV(P^m, Q^m), sqrt(1 - BC^2m).
 * @example amplificationCeiling(0.9, 10) // sqrt(1 - 0.9^20) = 0.9372
 */
export const amplificationCeiling = (bc: number, m: number): number =>
  Math.sqrt(1 - number('bc', bc, 0, 1) ** (2 * integer('m', m, 0)))

/** Integers between which a number of queries lies; Infinity where no number is enough. */
export interface QueryRange {
  readonly low: number
  readonly high: number
}

/**
 * Brackets the m at which the total variation of m-fold laws reaches t, from the Bhattacharyya coefficient alone:
 * ln(1 - t^2) / (2 ln BC) <= m <= ln(1 - t) / ln BC, rounded up.
 *
 * @example amplificationBracket(0.9, 0.5) // { low: 2, high: 7 }
 */
export function amplificationBracket(bc: number, t: number): QueryRange {
  number('bc', bc, 0, 1)
  number('t', t, 0, 1, true)
  if (bc === 1) return { low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  if (bc === 0) return { low: 1, high: 1 }
  // a bound met exactly must not be rounded up by its own floating error
  const up = (x: number): number => Math.max(1, Math.ceil(x - 1e-9))
  return { low: up(Math.log1p(-t * t) / (2 * Math.log(bc))), high: up(Math.log1p(-t) / Math.log(bc)) }
}
