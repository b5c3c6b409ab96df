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
import type { NullLaw } from './detector.ts'

/** Tilts of the grid. */
const TILTS = 24
/** The growth per score, in nats, that the weakest and the strongest tilt would have if the scores were drawn under them. */
const WEAKEST = 2e-3
const STRONGEST = 3

interface Tilt {
  readonly h: number
  readonly cost: number
}

/** Growth of W_h when scores follow the law tilted by h: h M'/M - ln M, by a symmetric difference. */
function growth(logMgf: (tilt: number) => number, h: number): number {
  const step = 1e-4 * h
  return (h * (logMgf(h + step) - logMgf(h - step))) / (2 * step) - logMgf(h)
}

/** The tilt that grows by `nats` per score, or the largest that the law allows. */
function tiltOf(law: NullLaw, nats: number): number {
  const logMgf = law.logMgf!
  const end = law.maxTilt ?? Number.POSITIVE_INFINITY
  const most = Math.min(end * (1 - 1e-3), 60 / Math.max(law.mean, 1e-12))
  let [low, high] = [0, most]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (growth(logMgf, middle) < nats) low = middle
    else high = middle
  }
  return high
}

/** A grid of tilts from weak to strong, or undefined where the law has no moment-generating function. */
function tiltsOf(law: NullLaw): Tilt[] | undefined {
  if (law.logMgf === undefined) return undefined
  const ratio = (STRONGEST / WEAKEST) ** (1 / (TILTS - 1))
  const tilts = Array.from({ length: TILTS }, (_, j) => tiltOf(law, WEAKEST * ratio ** j))
  return [...new Set(tilts)].map((h) => ({ h, cost: law.logMgf!(h) }))
}

/** Exponents of the calibrators k p^(k-1), which turn the p-value of one score into a bet where the law has no better one. */
const CALIBRATORS = [0.9, 0.7, 0.5, 0.3, 0.1] as const

export interface EProcess {
  /** Takes the next score; returns ln of the wealth. */
  add(score: number): number
  /** ln of the wealth now, and at its largest. */
  readonly logWealth: number
  readonly logLargest: number
}

/** A gambler who starts with 1 and bets on each score of a law being large. */
export function eProcess(law: NullLaw): EProcess {
  const tilts = tiltsOf(law)
  const logs = new Float64Array(tilts?.length ?? CALIBRATORS.length)
  const state = { logWealth: 0, logLargest: 0 }
  const bet = (score: number): void => {
    if (tilts !== undefined)
      for (let j = 0; j < logs.length; j++) logs[j]! += tilts[j]!.h * score - tilts[j]!.cost
    else {
      const logP = Math.min(0, law.logTail(score, 1))
      for (const [j, k] of CALIBRATORS.entries()) logs[j]! += Math.log(k) + (k - 1) * logP
    }
  }
  return {
    get logWealth() {
      return state.logWealth
    },
    get logLargest() {
      return state.logLargest
    },
    add(score) {
      bet(score)
      const top = logs.reduce((a, b) => Math.max(a, b))
      let sum = 0
      for (const log of logs) sum += Math.exp(log - top)
      state.logWealth = top + Math.log(sum / logs.length)
      state.logLargest = Math.max(state.logLargest, state.logWealth)
      return state.logWealth
    },
  }
}
