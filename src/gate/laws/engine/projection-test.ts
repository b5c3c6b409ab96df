/**
 * Do projections have the means that they should? A *projection* is one number x in [0, 1] per sample, such as the mass q(A)
 * that a key gives to a set A of tokens; its mean m is known, such as p(A). A thousand tokens have 2^1000 sets; a family of J
 * sets costs ln J nats. Samples come in *classes* (such as: at even positions, at the third position), and each class is
 * tested on its own: biases of opposite sign in two classes do not cancel.
 *
 * Bets. A bet that x is too large multiplies its wealth by `1 + l (x - h)` for each sample, where h >= m is the largest mean
 * that is no mistake (m, and room for rounding) and l in [0, 1/h] depends on the past only. Where E x <= h that is a
 * nonnegative supermartingale. For each class c and projection j there are four: too large and too small (x' = 1 - x,
 * m' = 1 - m), each with a fixed l and with one learned from the past. The test fails when
 *
 *   sum over c of share_c * (mean of the 4 J wealths of c), plus the shares of learned sets,   reaches   1 / falseAlarm.
 *
 * False alarm. Shares sum to at most 1, so without a mistake this sum is a nonnegative supermartingale that starts at 1 at the
 * most, however classes and projections depend on each other. By Ville's inequality it ever reaches 1/falseAlarm with
 * probability at most falseAlarm: looking after each sample costs nothing, and holding early only removes failures.
 *
 * Miss. Let the expectations of class c's first n samples of projection j average to g >= m + bias; n is fixed in advance. The
 * fixed bet has l = (t - h) / (h (1 - h)), the likelihood ratio of coins of mean t and h. The logarithm is concave, so with X
 * the mean of x over the n samples
 *
 *   ln wealth >= n (X ln(t/h) + (1 - X) ln((1-t)/(1-h))),   which is at least   n kl(t, h)   where X >= t.
 *
 * With `n kl(t, h) = ln(1/falseAlarm) + ln(4 J / share_c)` the alarm is raised, at key n if not before, wherever X >= t. And
 * X < t has probability at most `exp(-n kl(t, g))` (projection-plan.ts), which is at most miss/2 for the n that the plan takes.
 *
 * Holding early. A fifth bet per side, against "the mean is at least m + refuted" (refuted >= bias): wealth times
 * `1 + l (m + refuted - x)`. Where the mean is that large, it reaches 2/miss with probability at most miss/2. The test holds
 * when it has, for every class, projection and side; or when a class has had its n samples. The bias is on *one* side of one
 * projection of one class, so no union over them is needed: to hold early, that one bet has to err. Together: at most miss.
 * (Samples must be independent given their classes for `X < t`; keys are.)
 *
 * Suspicion. The deviations that the sum of wealths does not reject at 1/1000 are a confidence sequence of level 99.9%, for all classes and
 * projections together. While it leaves out zero the test does not hold: it goes on, with up to 50 times the samples that it would have taken,
 * until the alarm is raised or zero is back inside. Without a mistake the sum reaches 1000 with probability at most 1/1000, so
 * further samples are expected to be at most 49/1000 of the others. Where neither happens the test holds and is called suspicious.
 */

import { checkRates, type Rates, type Verdict } from './bounds.ts'
import { keysForProjections, ProjectionBets, type Stakes } from './projection-bets.ts'
import { leastMean, type Nats } from './projection-plan.ts'

/** A class of samples. */
export interface ProjectionClass {
  /** Its share of the wealth; shares sum to at most 1. */
  readonly share: number
  /** The bias that it is certain to see, but for the miss rate, after `keys` samples. */
  readonly bias: number
  readonly keys: number
  /** The class whose samples these are a part of: when that one has had enough, so has this. */
  readonly within?: number
}

/** A bet of another kind that takes part: on a set that is learned. */
export interface SideBet {
  readonly share: number
  readonly wealth: number
}

export interface ProjectionOptions {
  /** The most that rounding may move a projection. Default 1e-12. */
  readonly rounding?: number
  /** Biases from this size on are refuted before the test holds early; where it is larger than what a class promises. */
  readonly refuted?: number
  readonly prior?: Stakes['prior']
}

const ROUNDING = 1e-12
/** The wealth from which on zero lies outside the confidence sequence. */
const SUSPICIOUS = 1000
/** The most samples of a suspicious test, in multiples of those after which it would have held. */
const LONGER = 50

/** Nats of one bet of a class. */
const natsOf = (J: number, share: number, { falseAlarm, miss }: Omit<Rates, 'bias'>): Nats => ({
  alarm: Math.log(4 * J) - Math.log(share) - Math.log(falseAlarm),
  miss: Math.log(2 / miss),
})

/** The most samples that a class with this share takes. */
export function projectionKeys(
  means: Float64Array,
  share: number,
  rates: Rates,
  rounding = ROUNDING,
): number {
  checkRates(rates)
  return keysForProjections(means, { ...natsOf(means.length, share, rates), bias: rates.bias, rounding })
}

/** The smallest bias of any projection that a class is certain to see (but for `miss`) with `keys` samples. */
export function projectionBias(
  means: Float64Array,
  share: number,
  keys: number,
  rates: Omit<Rates, 'bias'>,
  rounding = ROUNDING,
): number {
  const nats = natsOf(means.length, share, rates)
  let bias = 0
  for (const mean of means)
    for (const m of [mean, 1 - mean])
      bias = Math.max(bias, leastMean(Math.max(m + rounding, 1e-3), keys, nats) - m)
  return bias
}

export class ProjectionTest {
  verdict: Verdict | undefined
  /** True if the test holds although zero lies outside the confidence sequence. */
  isSuspicious = false
  #samples = 0
  /** The most samples, once the test could hold. */
  #most: number | undefined
  readonly #classes: readonly ProjectionClass[]
  readonly #bets: readonly ProjectionBets[]
  readonly #goal: number
  readonly #perProjection: number

  constructor(
    means: Float64Array,
    classes: readonly ProjectionClass[],
    rates: Omit<Rates, 'bias'>,
    { rounding = ROUNDING, refuted = 0, prior }: ProjectionOptions = {},
  ) {
    this.#classes = classes
    this.#goal = 1 / rates.falseAlarm
    this.#perProjection = 1 / (4 * means.length)
    this.#bets = classes.map(
      ({ share, bias, keys }) =>
        new ProjectionBets(means, keys, {
          ...natsOf(means.length, share, rates),
          bias,
          refuted: Math.max(bias, refuted),
          rounding,
          prior,
        }),
    )
  }

  /** Takes one sample, which belongs to the given classes; returns the verdict once there is one. */
  add(classes: readonly number[], x: Float64Array, sideBets: readonly SideBet[] = []): Verdict | undefined {
    for (const c of classes) this.#bets[c]!.add(x)
    this.#samples++
    const wealth = this.wealth(sideBets)
    // NaN is no wealth: it fails
    if (!(wealth < this.#goal)) this.verdict = 'fails'
    else if (this.#isSettledInAll()) {
      this.isSuspicious = wealth >= SUSPICIOUS
      if (!this.isSuspicious || this.#samples >= this.#most!) this.verdict = 'holds'
    }
    return this.verdict
  }

  #isSettledInAll(): boolean {
    if (this.#most === undefined && this.#classes.every((_, c) => this.#isSettled(c)))
      this.#most = LONGER * this.#samples
    return this.#most !== undefined
  }

  wealth(sideBets: readonly SideBet[] = []): number {
    let total = 0
    for (let c = 0; c < this.#bets.length; c++)
      total += this.#classes[c]!.share * this.#bets[c]!.wealth * this.#perProjection
    for (const { share, wealth } of sideBets) total += share * wealth
    return total
  }

  /** Returns whether a class has had its samples, or every bias it must see is refuted. */
  #isSettled(c: number): boolean {
    const { open, count } = this.#bets[c]!
    const { keys, within } = this.#classes[c]!
    if (open === 0 || count === 0 || count >= keys) return true
    if (within === undefined) return false
    // a part that gets less than half of its share is one of which there are few samples: nothing is promised for it
    const whole = this.#bets[within]!.count / this.#classes[within]!.keys
    return whole >= 1 || count / keys < whole / 2
  }

  /** Returns whether every bias that a class must see is refuted. */
  isRefuted(c: number): boolean {
    return this.#bets[c]!.open === 0
  }

  count(c: number): number {
    return this.#bets[c]!.count
  }

  /** The mean deviation of a projection in a class. */
  deviation(c: number, projection: number): number {
    return this.#bets[c]!.deviation(projection)
  }

  /** The standard error of that. */
  error(c: number, projection: number): number {
    return this.#bets[c]!.error(projection)
  }

  /** The largest deviation of any projection in a class. */
  largest(c: number): number {
    return this.#bets[c]!.largest()
  }

  /** The class and projection whose bets won most, and their share of the wealth. */
  best(): { readonly class: number; readonly projection: number; readonly wealth: number } {
    let best = { class: 0, projection: 0, wealth: 0 }
    for (const [c, bets] of this.#bets.entries()) {
      const { projection, wealth } = bets.best()
      const weighted = this.#classes[c]!.share * wealth * this.#perProjection
      if (weighted > best.wealth) best = { class: c, projection, wealth: weighted }
    }
    return best
  }
}
