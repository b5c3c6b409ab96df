import { integer, number } from '../../input.ts'
import { logGammaTail } from './log-gamma-tail.ts'

/**
 * ln P(X >= x) for X chi-square with an integer number of degrees of freedom: Gamma(freedom/2, 1) at x/2.
 *
 * As the law of Pearson's statistic it is an approximation, poor in far tails; `multinomialTest` is guaranteed.
 * @example logChiSquareTail(3.841, 1) // ln 0.05 = -2.995
 */
export function logChiSquareTail(x: number, freedom: number): number {
  number('x', x, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  integer('freedom', freedom, 1)
  return logGammaTail(x / 2, freedom / 2)
}
