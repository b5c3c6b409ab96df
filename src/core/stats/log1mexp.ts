import { number } from '../../input.ts'

/**
 * ln(1 - e^a) for a <= 0, without cancellation at either end.
 *
 * Near 0, `1 - e^a` is `-expm1(a)`; far below, it is 1 less something small, `log1p(-e^a)`. The switch at
 * -ln 2 keeps both in their good range (Mächler, "Accurately computing log(1 - exp(-|a|))", 2012).
 *
 * @example log1mexp(Math.log(0.25)) // ln 0.75 = -0.2877
 */
export function log1mexp(a: number): number {
  number('a', a, Number.NEGATIVE_INFINITY, 0)
  return a > -Math.LN2 ? Math.log(-Math.expm1(a)) : Math.log1p(-Math.exp(a))
}
