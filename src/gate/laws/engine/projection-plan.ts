/**
 * The promises and costs of betting on projections: the numbers of the proof in projection-test.ts.
 *
 * Coins as the worst case. Among all values in [0, 1] with mean m the coin that shows 1 with probability m spreads most
 * (Hoeffding 1963), so what holds for its Chernoff bound holds for every projection q(A): a mean of n independent values whose
 * expectations average to m falls to t < m with probability at most `exp(-n kl(t, m))`.
 */

const term = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b))

/** Kullback-Leibler divergence of coins: `a ln(a/b) + (1-a) ln((1-a)/(1-b))`, in nats. */
export const kl = (a: number, b: number): number => Math.max(0, term(a, b) + term(1 - a, 1 - b))

const STEPS = 60

/** The point of an interval at which an increasing condition becomes true. */
function bisect(low: number, high: number, isAbove: (x: number) => boolean): number {
  let [a, b] = [low, high]
  for (let i = 0; i < STEPS; i++) {
    const middle = (a + b) / 2
    if (isAbove(middle)) b = middle
    else a = middle
  }
  return b
}

/** The smallest mean above m that is `nats` away from it: `kl(t, m) = nats`, or 1. */
export const above = (m: number, nats: number): number => bisect(m, 1, (t) => kl(t, m) >= nats)

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

/** Returns whether a mean of `least` can occur at all: a set of mass 0.99 cannot gain 0.02. (It can gain 0.01: then it is everything.) */
export const isPossible = ({ least }: Side): boolean => least <= 1

/** The mean at which the fixed bet raises the alarm after `keys` keys: `kl(t, most) = alarm / keys`. */
export const alarmMean = ({ most }: Side, keys: number, { alarm }: Nats): number =>
  Math.min(above(most, alarm / keys), 1 - 1e-9)

/** Keys after which a mean of `least` is certain to raise the alarm, but for the miss rate. */
export function keysForSide(side: Side, { alarm, miss }: Nats): number {
  const { most, least } = side
  if (!isPossible(side)) return 0
  // the alarm mean t balances both errors: alarm / kl(t, most) = miss / kl(t, least)
  const t = bisect(most, least, (x) => alarm * kl(x, least) <= miss * kl(x, most))
  return Math.ceil(alarm / kl(t, most))
}

/** The smallest mean that is certain to raise the alarm with `keys` keys, but for the miss rate. */
export function leastMean(most: number, keys: number, nats: Nats): number {
  const t = alarmMean({ most, least: 1 }, keys, nats)
  return bisect(t, 1, (g) => kl(t, g) >= nats.miss / keys)
}
