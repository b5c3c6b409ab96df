/**
 * The bets on one class of samples: every projection from above and from below. Formulas and proof: projection-test.ts.
 */
import { alarmMean, isPossible, keysForSide, type Nats, type Side } from './projection-plan.ts'

/** Share of the largest bet that could lose everything. */
const CAUTION = 0.9
/** Bets are revised after each of the first keys, then each time their number has grown by this share. */
const REVISION = 1 / 16

export interface Stakes extends Nats {
  /** The bias that must be seen. */
  readonly bias: number
  /** A bias of this size is refuted before the test holds early; at least `bias`. */
  readonly refuted: number
  /** The most that rounding may move a projection. */
  readonly rounding: number
  /** The largest variance there can be counts as much as this many coins that showed 1. Default 4: a rare one has to be waited for. */
  readonly prior?: number
}

/** Means below this are no mistake, however tiny the set's mass: a bet of 1e9 would be one on rounding errors. */
export const LEAST_MASS = 1e-3
const leastMass = (bias: number): number => Math.min(LEAST_MASS, bias / 10)

/** A set whose mass is at least this share of the bias must not be lost altogether. */
const LOST = 1 / 4
/** The smallest mean that must be seen: of a set of less mass than the bias, all that there is to lose. */
const leastOf = (m: number, bias: number): number => (m + bias > 1 && 1 - m >= LOST * bias ? 1 : m + bias)

/** The bet on a projection of mean m that it is too large; mirrored, that 1 - m is. */
const sideOf = (m: number, { bias, rounding }: Pick<Stakes, 'bias' | 'rounding'>): Side => ({
  most: Math.min(Math.max(m + rounding, leastMass(bias)), 1 - rounding),
  least: leastOf(m, bias),
})

/** Keys after which a bias of any projection, in either direction, is certain to raise the alarm, but for the miss rate. */
export function keysForProjections(
  means: ArrayLike<number>,
  stakes: Pick<Stakes, 'bias' | 'rounding' | 'alarm' | 'miss'>,
): number {
  let keys = 0
  for (let j = 0; j < means.length; j++)
    for (const m of [means[j]!, 1 - means[j]!]) keys = Math.max(keys, keysForSide(sideOf(m, stakes), stakes))
  return keys
}

/**
 * The stake on an expected gain over h, where the most that can be lost is h. For a coin (spread 1) growth is largest at
 * gain / (h (1 - h)); for a constant (spread 0) at 1/h.
 */
export const stake = (gain: number, h: number, spread: number): number =>
  Math.min(CAUTION / h, gain / (h * (spread * (1 - h) + (1 - spread) * gain)))

export class ProjectionBets {
  /** Samples taken. */
  count = 0
  /** The sum of the wealths of all bets; 4 for each projection at the start. */
  wealth: number
  /** Bets whose bias is not refuted yet. */
  open = 0
  readonly #means: Float64Array
  /** The deviation that the doubt is about. */
  readonly #refuted: Float64Array
  readonly #prior: number
  readonly #goal: number
  readonly #sum: Float64Array
  readonly #square: Float64Array
  // for projection j, at j: bets that it is too large; at J + j: too small
  readonly #shift: Float64Array
  readonly #fixed: Float64Array
  readonly #fixedWealth: Float64Array
  readonly #learned: Float64Array
  readonly #learnedWealth: Float64Array
  readonly #doubt: Float64Array
  readonly #doubtWealth: Float64Array
  readonly #most: Float64Array
  #revision = 1

  constructor(means: Float64Array, keys: number, stakes: Stakes) {
    const size = 2 * means.length
    this.#means = means
    this.#refuted = new Float64Array(size)
    this.#prior = stakes.prior ?? 4
    this.#goal = Math.exp(stakes.miss)
    this.#sum = new Float64Array(means.length)
    this.#square = new Float64Array(means.length)
    this.#shift = new Float64Array(size)
    this.#fixed = new Float64Array(size)
    this.#fixedWealth = new Float64Array(size).fill(1)
    this.#learned = new Float64Array(size)
    this.#learnedWealth = new Float64Array(size).fill(1)
    this.#doubt = new Float64Array(size)
    this.#doubtWealth = new Float64Array(size).fill(1)
    this.#most = new Float64Array(size)
    this.wealth = 2 * size
    for (let k = 0; k < size; k++) {
      const j = k % means.length
      const m = k === j ? means[j]! : 1 - means[j]!
      const side = sideOf(m, stakes)
      const { most } = side
      this.#most[k] = most
      this.#shift[k] = most - m
      this.#fixed[k] = (alarmMean(side, Math.max(1, keys), stakes) - most) / (most * (1 - most))
      // a bias that cannot occur needs no refutation
      const least = leastOf(m, stakes.refuted)
      this.#refuted[k] = least - m
      if (isPossible({ most, least })) this.open++
      else this.#doubtWealth[k] = Number.POSITIVE_INFINITY
    }
    this.#revise()
  }

  /** Takes the projections of one sample, each in [0, 1]. */
  add(x: Float64Array): void {
    const J = this.#means.length
    let wealth = 0
    for (let j = 0; j < J; j++) {
      const d = x[j]! - this.#means[j]!
      this.#sum[j]! += d
      this.#square[j]! += d * d
      wealth += this.#play(j, d) + this.#play(J + j, -d)
    }
    this.wealth = wealth
    this.count++
    if (this.count >= this.#revision) this.#revise()
  }

  #play(k: number, d: number): number {
    const excess = d - this.#shift[k]!
    this.#fixedWealth[k]! *= 1 + this.#fixed[k]! * excess
    this.#learnedWealth[k]! *= 1 + this.#learned[k]! * excess
    const before = this.#doubtWealth[k]!
    if (before < this.#goal) {
      const after = before * (1 + this.#doubt[k]! * (this.#refuted[k]! - d))
      this.#doubtWealth[k] = after
      if (after >= this.#goal) this.open--
    }
    return this.#fixedWealth[k]! + this.#learnedWealth[k]!
  }

  /** New bets from the past: its mean, and how much a projection spreads compared with a coin of that mean. */
  #revise(): void {
    const J = this.#means.length
    const n = this.count
    for (let j = 0; j < J; j++) {
      const m = this.#means[j]!
      const coin = m * (1 - m)
      const mean = this.#sum[j]! / (n + 1)
      const square = (this.#square[j]! + this.#prior) / (n + this.#prior / coin)
      const spread = Math.min(1, Math.max(0, square - mean * mean) / ((m + mean) * (1 - m - mean)))
      const spreadAtMost = Math.min(1, square / coin)
      this.#reviseSide(j, mean, spread, spreadAtMost, m)
      this.#reviseSide(J + j, -mean, spread, spreadAtMost, 1 - m)
    }
    this.#revision = n + Math.max(1, Math.floor(n * REVISION))
  }

  #reviseSide(k: number, mean: number, spread: number, spreadAtMost: number, m: number): void {
    const most = this.#most[k]!
    const gain = mean - this.#shift[k]!
    this.#learned[k] = gain > 0 ? stake(gain, most, spread) : 0
    // the doubt is about a large mean, so it stakes as if there were no deviation: the past mean is noise for long
    const refuted = this.#refuted[k]!
    this.#doubt[k] = stake(refuted, Math.max(LEAST_MASS, 1 - m - refuted), spreadAtMost)
  }

  /** The mean deviation of a projection. */
  deviation(j: number): number {
    return this.count === 0 ? 0 : this.#sum[j]! / this.count
  }

  /** The standard error of that. */
  error(j: number): number {
    const mean = this.deviation(j)
    return Math.sqrt(Math.max(0, this.#square[j]! / this.count - mean * mean) / this.count)
  }

  /** The largest deviation of any projection. */
  largest(): number {
    let most = 0
    for (let j = 0; j < this.#means.length; j++) most = Math.max(most, Math.abs(this.deviation(j)))
    return most
  }

  /** The projection whose bets won most, and their wealth. */
  best(): { readonly projection: number; readonly wealth: number } {
    const J = this.#means.length
    let best = { projection: 0, wealth: 0 }
    for (let k = 0; k < 2 * J; k++) {
      const wealth = this.#fixedWealth[k]! + this.#learnedWealth[k]!
      if (wealth > best.wealth) best = { projection: k % J, wealth }
    }
    return best
  }
}
