import { integer, number, oneOf } from '../../input.ts'
import { logBinomialTail } from './log-binomial-tail.ts'

/** The deviation that counts as evidence: more successes than `rate` explains, fewer, or either. */
export type Alternative = 'greater' | 'less' | 'two-sided'

/**
 * The exact p-value of `successes` out of n under Binomial(n, rate).
 *
 * Two-sided is twice the smaller tail, at most 1: it rejects exactly when the Clopper-Pearson interval leaves out
 * `rate`. (Adding up all outcomes that are no likelier gives smaller p-values but no interval that goes with it.)
 *
 * @example binomialTest(60, 100, 0.5, 'greater').pValue // 0.0284
 */
export function binomialTest(
  successes: number,
  n: number,
  rate: number,
  alternative: Alternative = 'two-sided',
): { pValue: number; logPValue: number } {
  integer('n', n, 0)
  integer('successes', successes, 0, n)
  number('rate', rate, 0, 1)
  oneOf('alternative', alternative, ['greater', 'less', 'two-sided'])
  const above = logBinomialTail(successes, n, rate)
  const below = logBinomialTail(n - successes, n, 1 - rate)
  const logPValue =
    alternative === 'greater'
      ? above
      : alternative === 'less'
        ? below
        : Math.min(0, Math.LN2 + Math.min(above, below))
  return { pValue: Math.exp(logPValue), logPValue }
}
