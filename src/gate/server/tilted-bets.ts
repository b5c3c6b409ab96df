/**
 * Bets on events whose probabilities p_t are given one by one: `prod_t e^(h x_t) / (1 - p_t + p_t e^h)` has mean 1 for each tilt h if x_t is 1 with
 * probability p_t given the past, and so has the mean over several h of both signs. Where p_t is only known to lie in [low, high], the end
 * that costs more is taken, and the mean is at most 1. By Ville's inequality the wealth ever reaches 1/a with probability at most a. (Stakes of
 * `meanBets` are fractions of 1: too timid where p is near 0, too bold for deviations of a hundredth.)
 *
 * Power, whatever the p_t: h p - ln(1 - p + p e^h) >= -h^2/8 and Hoeffding's inequality give, with s = sqrt(n ln(1/miss) / 2), that a mean that
 * lies d above its claim is seen by the bet h once h (n d - s) - n h^2 / 8 >= ln(bets / level).
 */
import { logSumExp } from '../../core/stats/index.ts'

const TILTS = [0.02, 0.06, 0.2, 0.6, 2, 6].flatMap((h) => [h, -h])
const POWERS = TILTS.map((h) => Math.expm1(h))

/** The bets on one event: ln wealth of each tilt. */
export class TiltedBets {
  readonly logs = new Float64Array(TILTS.length)
  count = 0
  /** Outcomes minus their probabilities, summed. */
  excess = 0

  /** Takes one outcome whose probability lies in [low, high]. */
  add(hit: boolean, low: number, high: number): void {
    this.count++
    this.excess += (hit ? 1 : 0) - (low + high) / 2
    for (let i = 0; i < TILTS.length; i++) {
      const h = TILTS[i]!
      this.logs[i]! += (hit ? h : 0) - Math.log1p((h > 0 ? high : low) * POWERS[i]!)
    }
  }
}

/** ln of the mean wealth over several bets. */
export function logMeanWealth(bets: readonly Pick<TiltedBets, 'logs'>[]): number {
  const logs = bets.map((one) => logSumExp(one.logs))
  return logs.length === 0 ? 0 : logSumExp(logs) - Math.log(logs.length * TILTS.length)
}

/** The same for bets that went on from one group of outcomes to the next with their wealth. */
export const logJointWealth = (groups: readonly (readonly TiltedBets[])[]): number =>
  logMeanWealth(
    (groups[0] ?? []).map((_, i) => ({
      logs: Float64Array.from(TILTS, (_, h) => groups.reduce((sum, bets) => sum + bets[i]!.logs[h]!, 0)),
    })),
  )

/** The smallest deviation of a mean from its claim that is certain to be seen (but for `miss`) after n outcomes, among `events` events; at most 1. */
export function smallestDeviation(n: number, events: number, level: number, miss: number): number {
  if (n === 0) return 1
  const needed = Math.log((events * TILTS.length) / level)
  const noise = Math.sqrt((n * Math.log(1 / miss)) / 2)
  return Math.min(1, ...TILTS.filter((h) => h > 0).map((h) => (needed / h + (n * h) / 8 + noise) / n))
}
