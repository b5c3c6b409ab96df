/** The law of exponential scores where contexts recur: apart from `exponential`, so that a page that only detects does not carry it. */
import type { NullLaw } from '../detect/detector.ts'
import { exponential } from '../detect/null-laws.ts'
import { logWeightedExponentialsTail } from '../stats/log-weighted-exponentials-tail.ts'

/** A standard exponential score; a pair that occurs c times counts c times. Exact. */
export const recurringExponential = (): NullLaw => ({
  ...exponential(),
  name: 'recurringExponential()',
  logTailOfCounts: (sum, counts) => logWeightedExponentialsTail(sum, counts),
})
