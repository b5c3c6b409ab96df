/**
 * Bets that projections have means larger than they may: one side of projection-test.ts, for means that are known from above only.
 * The wealth is the mean over all bets. If no mean is too large it is a nonnegative supermartingale that starts at 1, however
 * projections depend on each other, and ever reaches 1/a with probability at most a (Ville).
 */
import { LEAST_MASS, stake } from './projection-bets.ts'
import { alarmMean, leastMean, type Nats } from './projection-plan.ts'

/** Bets on one projection: one that is fixed and carries the promise, one that learns. */
const BETS = 2

const natsOf = (projections: number, falseAlarm: number, miss: number): Nats => ({
  alarm: Math.log(BETS * projections) - Math.log(falseAlarm),
  miss: -Math.log(miss),
})

export class UpperBets {
  wealth = 1
  count = 0
  readonly #most: Float64Array
  readonly #fixed: Float64Array
  readonly #fixedWealth: Float64Array
  readonly #learnedWealth: Float64Array
  readonly #gains: Float64Array
  readonly #squares: Float64Array

  /**
   * @param most the largest mean that each projection may have
   * @param keys after how many samples the fixed bets see what `smallestUpper` says
   */
  constructor(most: Float64Array, keys: number, falseAlarm: number) {
    const size = most.length
    const nats = natsOf(size, falseAlarm, 1)
    // a bet of 1e9 on what is nearly impossible would be one on rounding errors
    this.#most = most.map((h) => Math.max(h, LEAST_MASS))
    this.#fixed = this.#most.map((h) => (alarmMean({ most: h, least: 1 }, keys, nats) - h) / (h * (1 - h)))
    this.#fixedWealth = new Float64Array(size).fill(1)
    this.#learnedWealth = new Float64Array(size).fill(1)
    this.#gains = new Float64Array(size)
    this.#squares = new Float64Array(size)
  }

  /** Takes the projections of one sample, each in [0, 1]. */
  add(x: Float64Array): void {
    let sum = 0
    for (let j = 0; j < x.length; j++) {
      const h = this.#most[j]!
      const excess = x[j]! - h
      const mean = this.#gains[j]! / (this.count + 1)
      // from the past only; at first as if it had been a coin
      const spread = Math.min(1, (this.#squares[j]! / (h * (1 - h)) + 1) / (this.count + 1))
      this.#fixedWealth[j]! *= 1 + this.#fixed[j]! * excess
      if (mean > 0) this.#learnedWealth[j]! *= 1 + stake(mean, h, spread) * excess
      this.#gains[j]! += excess
      this.#squares[j]! += (excess - mean) ** 2
      sum += this.#fixedWealth[j]! + this.#learnedWealth[j]!
    }
    this.wealth = sum / (BETS * x.length)
    this.count++
  }

  /** The projection whose bets won most, and its mean so far. */
  best(): { readonly projection: number; readonly mean: number } {
    let projection = 0
    const won = (j: number): number => this.#fixedWealth[j]! + this.#learnedWealth[j]!
    for (let j = 1; j < this.#most.length; j++) if (won(j) > won(projection)) projection = j
    return { projection, mean: this.#most[projection]! + this.#gains[projection]! / this.count }
  }
}

/** The smallest excess of a mean over `most` that is certain to be seen (but for `miss`) with `keys` samples, whatever its spread. */
export const smallestUpper = (
  most: number,
  keys: number,
  projections: number,
  { falseAlarm, miss }: { readonly falseAlarm: number; readonly miss: number },
): number => leastMean(most, keys, natsOf(projections, falseAlarm, miss)) - most
