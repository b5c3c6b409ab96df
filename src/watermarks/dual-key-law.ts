/** The law of a score that two independent keys share: a weighted sum of two exponentials. */
import type { NullLaw } from '../detect/detector.ts'
import { logTwoGammasTail } from '../stats/log-two-gammas-tail.ts'

/** A score a A + b B of two standard exponentials; exact. */
export const twoExponentials = (a: number, b: number): NullLaw => ({
  name: `twoExponentials(${a},${b})`,
  exact: true,
  mean: a + b,
  logTail: (sum, n) => (n === 0 ? (sum > 0 ? Number.NEGATIVE_INFINITY : 0) : logTwoGammasTail(sum, n, a, b)),
  logMgf: (tilt) => -Math.log1p(-a * tilt) - Math.log1p(-b * tilt),
})
