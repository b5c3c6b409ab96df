import { number } from '../../input.ts'
import { logGammaTail } from './log-gamma-tail.ts'
import { log1mexp } from './log1mexp.ts'

/**
 * ln P(Z >= z) for a standard normal Z.
 *
 * Z^2/2 ~ Gamma(1/2, 1), so for z > 0 the tail is half of that law's: no table of coefficients. Below 0 the
 * complement.
 *
 * @example logNormalTail(10) // ln 7.62e-24 = -53.23
 */
export function logNormalTail(z: number): number {
  number('z', z, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (Math.abs(z) === Number.POSITIVE_INFINITY) return z > 0 ? Number.NEGATIVE_INFINITY : 0
  // z^2 overflows beyond 1e154, where the event is still possible
  const half = Math.min((z * z) / 2, Number.MAX_VALUE)
  const beyond = Math.max(-Number.MAX_VALUE, -Math.LN2 + logGammaTail(half, 0.5))
  return z >= 0 ? beyond : log1mexp(beyond)
}
