import { integer, number } from '../../input.ts'
import { bisect } from './bisect.ts'
import { logBinomialTail } from './log-binomial-tail.ts'

/** An interval with both ends included. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * The exact (Clopper-Pearson) confidence interval of a proportion: all rates that neither one-sided binomial test
 * rejects at half of 1 - confidence. Covers the true rate with at least the stated probability for every rate and
 * every n.
 *
 * @example clopperPearson(0, 100, 0.95) // { low: 0, high: 0.0362 }
 */
export function clopperPearson(successes: number, n: number, confidence = 0.95): Interval {
  integer('n', n, 1)
  integer('successes', successes, 0, n)
  number('confidence', confidence, 0, 1, true)
  return {
    low: lowerLimit(successes, n, (1 - confidence) / 2),
    high: 1 - lowerLimit(n - successes, n, (1 - confidence) / 2),
  }
}

/** The largest rate at which `successes` or more out of n have a probability of at most `level`. */
function lowerLimit(successes: number, n: number, level: number): number {
  if (successes === 0) return 0
  const log = Math.log(level)
  return bisect((rate) => logBinomialTail(successes, n, rate) <= log, 0, 1)
}
