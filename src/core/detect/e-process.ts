/**
 * Evidence that may be looked at after every score. For one tilt h the wealth of a gambler who bets on large scores,
 *
 *   W_h = product of exp(h x - ln M(h)),   M(h) = E exp(h X) under the null,
 *
 * is a martingale that starts at 1; so is the average over several tilts. By Ville's inequality the average ever reaches 1/a with
 * probability at most a: one over its largest value so far is a p-value at every moment.
 *
 * The best tilt depends on how strong the watermark is and how much entropy the text has, neither of which is known. The average over
 * a grid of tilts costs at most ln(grid) against the best of them, and less where neighbours do nearly as well.
 */
import type { NullLaw } from '../../watermark.ts'

/** Tilts of the grid. */
const TILTS = 12
/** The growth per score, in nats, that the weakest and the strongest tilt would have if the scores were drawn under them. */
const WEAKEST = 3e-3
const STRONGEST = 3
/** The largest tilt, in units of one over the mean score: beyond it hardly anything is left to gain. */
const MAX_TILT = 60

/** A bet on large scores: it multiplies the wealth by e^(h score - cost). */
interface Tilt {
  readonly h: number
  readonly cost: number
}

/** Growth of W_h when scores follow the law tilted by h: h M'/M - ln M, by a symmetric difference. */
function growth(logMgf: (tilt: number) => number, h: number): number {
  const step = 1e-4 * h
  return (h * (logMgf(h + step) - logMgf(h - step))) / (2 * step) - logMgf(h)
}

/** The tilt that grows by `nats` per score, or the largest. Not finite, as beyond the end of the law, counts as too much. */
export function tiltOf(law: NullLaw, nats: number): number {
  const logMgf = (tilt: number): number => law.logMgf!(tilt)
  let [low, high] = [0, MAX_TILT / Math.max(law.mean, 1e-12)]
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (growth(logMgf, middle) < nats) low = middle
    else high = middle
  }
  return low
}

const known = new WeakMap<NullLaw, readonly Tilt[]>()

/** A grid of tilts from weak to strong; none where the law has no moment-generating function. */
function tiltsOf(law: NullLaw): readonly Tilt[] {
  if (law.logMgf === undefined) return []
  let tilts = known.get(law)
  if (tilts === undefined) {
    const ratio = (STRONGEST / WEAKEST) ** (1 / (TILTS - 1))
    const grid = Array.from({ length: TILTS }, (_, j) => tiltOf(law, WEAKEST * ratio ** j))
    tilts = [...new Set(grid)].map((h) => ({ h, cost: law.logMgf!(h) }))
    known.set(law, tilts)
  }
  return tilts
}

/**
 * Exponents of the calibrators k p^(k-1), which turn the p-value of one score into a bet where the law says nothing but its tail: their
 * mean is 1 for a uniform p, and less for one that is larger.
 */
const CALIBRATORS = [0.9, 0.7, 0.5, 0.3, 0.1] as const

/** Writes what each of several bets gains from a score, in nats. */
export type Gains = (score: number, out: Float64Array) => void

/** The bets on scores of a law: how many, and what each gains. */
export function betsOn(law: NullLaw): { readonly count: number; readonly gains: Gains } {
  const tilts = tiltsOf(law)
  if (tilts.length > 0)
    return {
      count: tilts.length,
      gains(score, out) {
        for (let j = 0; j < out.length; j++) out[j] = tilts[j]!.h * score - tilts[j]!.cost
      },
    }
  return {
    count: CALIBRATORS.length,
    gains(score, out) {
      const logP = Math.min(0, law.logTail(score, 1))
      for (const [j, k] of CALIBRATORS.entries()) out[j] = Math.log(k) + (k - 1) * logP
    },
  }
}

/** ln of the mean of e^logs. */
export function logMeanExp(logs: ArrayLike<number>): number {
  let top = Number.NEGATIVE_INFINITY
  for (let j = 0; j < logs.length; j++) if (logs[j]! > top) top = logs[j]!
  if (!Number.isFinite(top)) return top
  let sum = 0
  for (let j = 0; j < logs.length; j++) sum += Math.exp(logs[j]! - top)
  return top + Math.log(sum / logs.length)
}

export interface EProcess {
  /** Takes the next score. */
  add(score: number): void
  /** ln of the wealth now, and at its largest. */
  readonly logWealth: number
  readonly logLargest: number
}

/** A gambler who starts with 1, divides it among the bets and lets each stake ride. */
export function eProcess(law: NullLaw): EProcess {
  const { count, gains } = betsOn(law)
  const gained = new Float64Array(count)
  const logs = new Float64Array(count)
  const state = { logWealth: 0, logLargest: 0 }
  return {
    get logWealth() {
      return state.logWealth
    },
    get logLargest() {
      return state.logLargest
    },
    add(score) {
      gains(score, gained)
      for (let j = 0; j < count; j++) logs[j]! += gained[j]!
      state.logWealth = logMeanExp(logs)
      state.logLargest = Math.max(state.logLargest, state.logWealth)
    },
  }
}
