/**
 * Is the mean of random distributions what it should be? Two forms: against a known distribution (`meanTest`: does q average
 * to p over keys) and against another random one (`sameMeanTest`). Each comes with what it can see (`smallestBias`) and what
 * it costs at the worst (`keysNeeded`).
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
import { type Bets, bets } from './bets.ts'
import { empiricalBernstein, hoeffding, totalVariationThreshold } from './bounds.ts'
import { Moments } from './moments.ts'
import { checkRates, type Rates, type Verdict } from './rates.ts'

/** What a test of m outcomes is about: the range of one difference, and `sum_i sqrt(Var_i)` at the most. */
interface Shape {
  readonly m: number
  readonly range: 1 | 2
  readonly spread: number
}

/** Looks before the last one grow by this factor. */
const GROWTH = 1.5

const support = (p: ArrayLike<number>): number[] =>
  Array.from({ length: p.length }, (_, i) => i).filter((i) => p[i]! > 0)

/** Against a fixed p a coordinate in [0, 1] of mean p_i has variance at most p_i (1 - p_i). */
function fixedShape(p: ArrayLike<number>): Shape {
  const spread = support(p).reduce((sum, i) => sum + Math.sqrt(p[i]! * (1 - p[i]!)), 0)
  return { m: support(p).length, range: 1, spread }
}

/** For d = x - y: Var d_i <= E |d_i| <= E x_i + E y_i, and sum_i sqrt(a_i) <= sqrt(m sum a_i) = sqrt(2 m). */
const pairedShape = (m: number): Shape => ({ m, range: 2, spread: Math.sqrt(2 * m) })

/** threshold + Hoeffding, times sqrt(n): both fall as 1 / sqrt(n). */
const resolution = ({ m, range, spread }: Shape, falseAlarm: number, miss: number): number =>
  totalVariationThreshold(m, 1, Math.log(2 / falseAlarm), spread, range) +
  hoeffding(1, Math.log(2 / miss), range)

function needed(shape: Shape, { falseAlarm, miss, bias }: Rates): number {
  // a point mass: any bias is mass elsewhere, present with probability at least `bias` per key
  if (shape.m === 1) return Math.ceil(Math.log(miss) / Math.log1p(-bias))
  return Math.ceil((resolution(shape, falseAlarm, miss) / bias) ** 2)
}

const visible = (shape: Shape, keys: number, { falseAlarm, miss }: Omit<Rates, 'bias'>): number =>
  shape.m === 1
    ? -Math.expm1(Math.log(miss) / keys)
    : Math.min(1, resolution(shape, falseAlarm, miss) / Math.sqrt(keys))

/** The most keys that `meanTest` takes. */
export const keysNeeded = (p: ArrayLike<number>, rates: Rates): number => needed(fixedShape(p), rates)

/** The smallest bias that `meanTest` is sure to see (but for `miss`) with so many keys. */
export const smallestBias = (p: ArrayLike<number>, keys: number, rates: Omit<Rates, 'bias'>): number =>
  visible(fixedShape(p), keys, rates)

/** The most pairs that `sameMeanTest` takes. */
export const pairsNeeded = (cells: number, rates: Rates): number => needed(pairedShape(cells), rates)

/** The smallest difference that `sameMeanTest` is sure to see (but for `miss`) with so many pairs. */
export const smallestDifference = (cells: number, pairs: number, rates: Omit<Rates, 'bias'>): number =>
  visible(pairedShape(cells), pairs, rates)

/** A running test. */
export interface Running {
  /** Samples taken so far. */
  readonly taken: number
  /** Total variation between the mean so far and what it should be. */
  readonly observed: number
  /** Where the test stopped, undefined while it goes on. */
  readonly verdict: Verdict | undefined
}

/** The part that both forms share: takes difference vectors over outcomes that can occur. */
class Sequential implements Running {
  verdict: Verdict | undefined
  readonly #rates: Rates
  readonly #shape: Shape
  readonly #last: number
  readonly #looks: Set<number>
  readonly #moments: Moments
  readonly #bets: Bets

  constructor(shape: Shape, rates: Rates) {
    checkRates(rates)
    this.#rates = rates
    this.#shape = shape
    this.#last = needed(shape, rates)
    this.#looks = lookTimes(shape, rates, this.#last)
    this.#moments = new Moments(shape.m)
    this.#bets = bets(shape.m, 1 / rates.bias ** 2, shape.range === 2)
  }

  get taken(): number {
    return this.#moments.count
  }

  get observed(): number {
    return this.taken === 0 ? 0 : this.#moments.totalVariation()
  }

  add(difference: Float64Array, weight: Float64Array): Verdict | undefined {
    const { falseAlarm, bias, miss } = this.#rates
    this.#moments.add(difference)
    this.#bets.add(difference, weight)
    const n = this.taken
    if (this.#bets.reached(Math.log(2 / falseAlarm))) this.verdict = 'fails'
    else if (n >= this.#last) this.verdict = this.#final()
    else if (this.#looks.has(n)) {
      const nats = Math.log((2 * this.#looks.size) / miss)
      const { range } = this.#shape
      const upper = this.#moments.largest(
        (mean, variance) => mean + empiricalBernstein(n, variance, nats, range),
      )
      if (upper < bias) this.verdict = 'holds'
    }
    return this.verdict
  }

  #final(): Verdict {
    const { m, spread, range } = this.#shape
    if (m === 1) return 'holds'
    const threshold = totalVariationThreshold(
      m,
      this.taken,
      Math.log(2 / this.#rates.falseAlarm),
      spread,
      range,
    )
    return this.observed >= threshold ? 'fails' : 'holds'
  }
}

/** From the first n at which a sample without any variance could hold, growing, up to the last look (left out). */
function lookTimes({ range }: Shape, { miss, bias }: Rates, last: number): Set<number> {
  const looks = new Set<number>()
  for (let n = ((7 * range) / (3 * bias)) * Math.log(64 / miss); n < last / GROWTH; n *= GROWTH)
    looks.add(Math.ceil(n))
  return looks
}

/** Tests whether distributions average to p. */
export interface MeanTest extends Running {
  /** Takes the next vector; returns the verdict once there is one. */
  add(q: Float64Array): Verdict | undefined
}

/** A sequential test that vectors q, one per key, average to p. */
export function meanTest(p: Float64Array, rates: Rates): MeanTest {
  const inside = support(p)
  const sequential = new Sequential(fixedShape(p), rates)
  const difference = new Float64Array(inside.length)
  const weight = Float64Array.from(inside, (i) => p[i]!)
  const outside = Array.from({ length: p.length }, (_, i) => i).filter((i) => p[i] === 0)
  return {
    get taken() {
      return sequential.taken
    },
    get observed() {
      return sequential.observed
    },
    get verdict() {
      return sequential.verdict
    },
    add(q) {
      for (let j = 0; j < inside.length; j++) difference[j] = q[inside[j]!]! - weight[j]!
      const verdict = sequential.add(difference, weight)
      if (outside.some((i) => q[i] !== 0)) sequential.verdict = 'fails'
      return sequential.verdict ?? verdict
    },
  }
}

/** Tests whether two sequences of distributions have the same mean. */
export interface SameMeanTest extends Running {
  add(x: Float64Array, y: Float64Array): Verdict | undefined
}

/** A sequential test that random distributions x and y over `cells` outcomes have the same mean. */
export function sameMeanTest(cells: number, rates: Rates): SameMeanTest {
  const sequential = new Sequential(pairedShape(cells), rates)
  const difference = new Float64Array(cells)
  const middle = new Float64Array(cells)
  return {
    get taken() {
      return sequential.taken
    },
    get observed() {
      return sequential.observed
    },
    get verdict() {
      return sequential.verdict
    },
    add(x, y) {
      for (let i = 0; i < cells; i++) {
        difference[i] = x[i]! - y[i]!
        middle[i] = (x[i]! + y[i]!) / 2
      }
      return sequential.add(difference, middle)
    },
  }
}
