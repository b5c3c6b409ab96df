import { number } from '../../input.ts'
import { logIncompleteBeta } from './log-incomplete-beta.ts'
import { log1mexp } from './log1mexp.ts'

/**
 * ln P(T >= t) for Student's T with `freedom` degrees of freedom: half of I_x(freedom/2, 1/2) at x = freedom /
 * (freedom + t^2) for t > 0, the complement below. The continued fraction loses digits as `freedom` grows: relative
 * error about 1e-17 · freedom, at least 1e-14.
 *
 * @example logStudentTail(2.262, 9) // ln 0.025 = -3.689
 */
export function logStudentTail(t: number, freedom: number): number {
  number('t', t, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  number('freedom', freedom, 0.5, 1e8)
  if (t === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  if (t === Number.NEGATIVE_INFINITY) return 0
  // t^2 / freedom is kept in range; beyond 1e±300 the tail no longer depends on the digits that are lost
  const odds = Math.min(1e300, (t / Math.sqrt(freedom)) ** 2)
  if (odds < 1e-300) return -Math.LN2
  const beyond = -Math.LN2 + logIncompleteBeta(1 / (1 + odds), odds / (1 + odds), freedom / 2, 0.5)
  return t > 0 ? beyond : log1mexp(beyond)
}
