/**
 * Do random distributions q, one per key, average to a known distribution p? The test comes with what it can see
 * (`smallestBias`) and what it costs at the worst (`keysNeeded`).
 *
 * The test, with n the number of keys fixed in advance by the rates:
 * 1. mass where there can be none fails at once (false alarm 0);
 * 2. an e-process fails when its wealth reaches 2/falseAlarm (Ville: at most falseAlarm/2, however often one looks);
 * 3. at key n it fails when the total variation of the mean reaches a threshold that a correct mean reaches with probability
 *    at most falseAlarm/2, and holds otherwise; n is such that threshold + Hoeffding(miss/2) <= bias;
 * 4. at a few looks before n it holds when an upper confidence bound of the deviation of *every* set of outcomes, at level
 *    miss/(2 looks) each, lies below `bias`.
 *
 * False alarm: failing needs the event of 2 or of 3, each defined on the whole sequence whether or not the test stopped
 * before; holding early only removes failures. Miss: a bias of at least `bias` has one set A that witnesses it. Holding needs
 * A's confidence bound to be wrong at one of the looks (together miss/2), or A's mean at key n to lie Hoeffding(miss/2) below
 * its expectation (miss/2); failing early only removes passes. No union over sets is needed there: A is fixed.
 */
import { bets } from './bets.ts'
import {
  checkRates,
  empiricalBernstein,
  hoeffding,
  type Rates,
  totalVariationThreshold,
  type Verdict,
} from './bounds.ts'
import { Moments } from './moments.ts'

/** Looks before the last one grow by this factor. */
const GROWTH = 1.5

const support = (p: ArrayLike<number>): number[] =>
  Array.from({ length: p.length }, (_, i) => i).filter((i) => p[i]! > 0)

/** `sum_i sqrt(Var_i)` at the most: a coordinate in [0, 1] of mean p_i has variance at most p_i (1 - p_i). */
const spreadOf = (p: ArrayLike<number>): number =>
  support(p).reduce((sum, i) => sum + Math.sqrt(p[i]! * (1 - p[i]!)), 0)

const threshold = (p: ArrayLike<number>, keys: number, falseAlarm: number): number =>
  totalVariationThreshold(support(p).length, keys, Math.log(2 / falseAlarm), spreadOf(p))

/** threshold + Hoeffding, times sqrt(n): both fall as 1 / sqrt(n). */
const resolution = (p: ArrayLike<number>, falseAlarm: number, miss: number): number =>
  threshold(p, 1, falseAlarm) + hoeffding(1, Math.log(2 / miss))

/** The most keys that `meanTest` takes. */
export function keysNeeded(p: ArrayLike<number>, { falseAlarm, miss, bias }: Rates): number {
  // a point mass: any bias is mass elsewhere, present with probability at least `bias` per key
  if (support(p).length === 1) return Math.ceil(Math.log(miss) / Math.log1p(-bias))
  return Math.ceil((resolution(p, falseAlarm, miss) / bias) ** 2)
}

/** The smallest bias that `meanTest` is certain to see (but for `miss`) with that number of keys. */
export const smallestBias = (
  p: ArrayLike<number>,
  keys: number,
  { falseAlarm, miss }: Omit<Rates, 'bias'>,
): number =>
  support(p).length === 1
    ? -Math.expm1(Math.log(miss) / keys)
    : Math.min(1, resolution(p, falseAlarm, miss) / Math.sqrt(keys))

/** A running test. */
export interface Running {
  /** Samples taken so far. */
  readonly taken: number
  /** Total variation between the mean so far and p. */
  readonly observed: number
  /** The verdict once the test stopped, undefined while it goes on. */
  readonly verdict: Verdict | undefined
}

interface MeanTest extends Running {
  /** Takes the next vector; returns the verdict once there is one. */
  add(q: Float64Array): Verdict | undefined
}

/** Lists the keys at which the test looks: from the first at which a sample without any variance could hold up to the last (left out). */
function lookTimes({ miss, bias }: Rates, last: number): Set<number> {
  const looks = new Set<number>()
  for (let n = (7 / (3 * bias)) * Math.log(64 / miss); n < last / GROWTH; n *= GROWTH) looks.add(Math.ceil(n))
  return looks
}

/** Starts a sequential test that vectors q, one per key, average to p. */
export function meanTest(p: Float64Array, rates: Rates): MeanTest {
  checkRates(rates)
  const { falseAlarm, miss, bias } = rates
  const inside = support(p)
  const outside = Array.from(p.keys()).filter((i) => p[i] === 0)
  const weight = Float64Array.from(inside, (i) => p[i]!)
  const difference = new Float64Array(inside.length)
  const last = keysNeeded(p, rates)
  const looks = lookTimes(rates, last)
  const moments = new Moments(inside.length)
  const gambler = bets(weight, 1 / bias ** 2)
  const observed = (): number => (moments.count === 0 ? 0 : moments.totalVariation())
  const verdictNow = (): Verdict | undefined => {
    const n = moments.count
    if (gambler.reached(Math.log(2 / falseAlarm))) return 'fails'
    if (n >= last) {
      const isOff = inside.length > 1 && observed() >= threshold(p, n, falseAlarm)
      return isOff ? 'fails' : 'holds'
    }
    if (!looks.has(n)) return undefined
    const nats = Math.log((2 * looks.size) / miss)
    const upper = moments.largest((mean, variance) => mean + empiricalBernstein(n, variance, nats))
    return upper < bias ? 'holds' : undefined
  }
  let verdict: Verdict | undefined
  return {
    get taken() {
      return moments.count
    },
    get observed() {
      return observed()
    },
    get verdict() {
      return verdict
    },
    add(q) {
      for (let j = 0; j < inside.length; j++) difference[j] = q[inside[j]!]! - weight[j]!
      moments.add(difference)
      gambler.add(difference)
      verdict = outside.some((i) => q[i] !== 0) ? 'fails' : verdictNow()
      return verdict
    },
  }
}
