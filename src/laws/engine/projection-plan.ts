/**
 * What betting on projections promises, and what it costs. The proof is in projection-test.ts; here are its numbers.
 */
import { above, bisect, kl } from './bernoulli.ts'

/** A bet that a projection's mean is larger than it should be, in the units of the proof. */
export interface Side {
  /** The largest mean that is no mistake. */
  readonly most: number
  /** The smallest mean that must be seen. */
  readonly least: number
}

export interface Nats {
  /** ln of the wealth that one bet needs to raise the alarm: ln(1/falseAlarm), and ln(1/share) of the bet. */
  readonly alarm: number
  /** ln(1/chance) that the mean strays so far that the alarm is not raised. */
  readonly miss: number
}

/** Whether a mean of `least` can occur at all: a set of mass 0.99 cannot gain 0.02. */
export const isPossible = ({ least }: Side): boolean => least < 1

/** The mean at which the fixed bet raises the alarm after so many keys: `kl(t, most) = alarm / keys`. */
export const alarmMean = ({ most }: Side, keys: number, { alarm }: Nats): number =>
  Math.min(above(most, alarm / keys), 1 - 1e-9)

/** Keys after which a mean of `least` is sure to raise the alarm, but for the miss rate. */
export function keysForSide(side: Side, { alarm, miss }: Nats): number {
  const { most, least } = side
  if (!isPossible(side)) return 0
  // the alarm mean t balances both errors: alarm / kl(t, most) = miss / kl(t, least)
  const t = bisect(most, least, (x) => alarm * kl(x, least) <= miss * kl(x, most))
  return Math.ceil(alarm / kl(t, most))
}

/** The smallest mean that is sure to raise the alarm with so many keys, but for the miss rate. */
export function leastMean(most: number, keys: number, nats: Nats): number {
  const t = alarmMean({ most, least: 1 }, keys, nats)
  return bisect(t, 1, (g) => kl(t, g) >= nats.miss / keys)
}
