/**
 * The length that a text needs before its watermark can be seen: the smallest number N of scored tokens at which the test at level
 * alpha has the wanted power, when every token has the same distribution and every context is fresh. The null's critical value
 * and the power are tails of sums of N independent scores, both computed rather than approximated by a normal law.
 */

import { checkLaw, lawFor } from '../core/detect/index.ts'
import { logLatticeTail, smallest } from '../core/stats/index.ts'
import { integer, number, oneOf, outOfRange, requireOptions } from '../input.ts'
import type { NullLaw, Watermark } from '../watermark.ts'
import { checkSteps, probabilities, requireListed } from './checked.ts'
import { type ScoreLaw, type ScoreLawOptions, scoreLaw } from './score-law.ts'

/** The length that a text needs, or why nothing can be said. */
export type TokensNeeded =
  | {
      readonly applicable: true
      /** Between these, the same where scores lie on a lattice; Infinity where no length is enough. */
      readonly low: number
      readonly high: number
      /** False where the law of the score was sampled. */
      readonly exact: boolean
      /** Mean score of a watermarked token, and of one that is not. */
      readonly mean: number
      readonly nullMean: number
    }
  | { readonly applicable: false; readonly reason: string }

/** The largest critical value, in steps. */
const MAX_STEPS = 2 ** 52

/** The largest mean of a null law. */
const MAX_MEAN = 2 ** 20

/** The finest grid of scores. */
const MIN_STEP = 2 ** -20

/** Beyond this many tokens the answer is "never". */
const MAX_LENGTH = 2 ** 20

/** Returns the smallest multiple of `step` that a sum of n null scores reaches with probability at most alpha; in steps. */
export function criticalSteps(law: NullLaw, n: number, alpha: number, step: number): number {
  const log = Math.log(alpha)
  const rejected = (k: number): boolean => law.logTail(k * step, n) <= log
  let [no, yes] = [Math.floor((n * law.mean) / step) - 1, Math.ceil((n * law.mean) / step) + 1]
  while (no >= 0 && rejected(no)) no = Math.floor(no / 2) - 1
  const sound = Number.isFinite(law.mean) && !rejected(Math.min(no, -1))
  if (!sound) throw outOfRange('nullLaw', 'a law of scores that are not negative', law)
  for (let stride = 1; !rejected(yes); stride *= 2) {
    no = yes
    yes += stride
    if (yes > MAX_STEPS) throw outOfRange('nullLaw', `a law whose tail falls to ${alpha}`, law)
  }
  return smallest(rejected, no, yes)
}

/**
 * Computes P(n watermarked scores reach the critical value), for the law rounded down (a lower bound) or up.
 * @example detectionPower(scoreLaw(sta1(), Float64Array.of(0.5, 0.5)), binomial(1 / 2), 100, 0.01) // 0.5034
 */
export function detectionPower(
  law: ScoreLaw,
  nullLaw: NullLaw,
  n: number,
  alpha: number,
  rounded: 'low' | 'high' = 'low',
): number {
  requireOptions('law', law, ['mean', 'low', 'high', 'step', 'exact'])
  checkLaw('nullLaw', nullLaw)
  if (typeof nullLaw === 'function') throw outOfRange('nullLaw', 'the law itself, of one vocabulary', nullLaw)
  number('nullLaw.mean', nullLaw.mean, 0, MAX_MEAN)
  integer('n', n, 1, MAX_LENGTH)
  number('alpha', alpha, 0, 1, true)
  oneOf('rounded', rounded, ['low', 'high'])
  probabilities(`law.${rounded}`, law[rounded])
  number('law.step', law.step, MIN_STEP, 1 / MIN_STEP)
  return powerAt(law, nullLaw, n, alpha, rounded)
}

/** Computes the power of arguments that are known to fit. */
function powerAt(law: ScoreLaw, nullLaw: NullLaw, n: number, alpha: number, rounded: 'low' | 'high'): number {
  // rounded up, a sum one step short of the critical value may be meant; steps are whole either way
  return Math.exp(logLatticeTail(law[rounded], criticalSteps(nullLaw, n, alpha, law.step), n))
}

/** Up to here every length is tried. */
const EXHAUSTIVE_UP_TO = 2000

/**
 * Returns the first n with reaches(n). Power saws its way up with n, because the critical value moves by whole steps: bisection finds a
 * crossing, the first one is searched below it, from 1 where that is near, else over `window` lengths (many teeth of the saw).
 */
export function firstReached(reaches: (n: number) => boolean, window: number): number {
  let yes = 1
  while (!reaches(yes)) {
    yes *= 2
    if (yes > MAX_LENGTH) return Number.POSITIVE_INFINITY
  }
  yes = smallest(reaches, Math.floor(yes / 2), yes)
  const from = window === 0 ? yes : yes <= EXHAUSTIVE_UP_TO ? 1 : yes - window
  for (let n = Math.max(1, from); n < yes; n++) if (reaches(n)) return n
  return yes
}

/**
 * Returns the number of scored tokens at which a watermark is detected at level alpha with the given power, on text whose every
 * next-token distribution is `distribution`; with a list, on text whose every position has one of them, each as likely.
 * @example
 * const p = Float64Array.of(0.5, 0.3, 0.2)
 * tokensNeeded(mcmark({ channels: 20 }), p, 0.01, 0.9) // { applicable: true, low: 122, high: 122, ... }
 */
export function tokensNeeded<Code>(
  watermark: Watermark<Code>,
  distribution: Float64Array | readonly Float64Array[],
  alpha: number,
  power: number,
  options: ScoreLawOptions = {},
): TokensNeeded {
  requireListed(watermark)
  const steps = checkSteps('distribution', distribution)
  number('alpha', alpha, 0, 1, true)
  number('power', power, 0, 1, true)
  const { detector, context } = watermark
  if (detector === undefined) return { applicable: false, reason: 'there is no detector' }
  if (detector.id !== 'sum' || detector.nullLaw === undefined)
    return { applicable: false, reason: `the ${detector.id} detector is no sum of scores` }
  if (context.recurs)
    return { applicable: false, reason: `under ${context.id} equal tokens share their score` }
  const nullLaw = lawFor(detector.nullLaw, steps[0]!.length)
  const law = scoreLaw(watermark, steps, options)
  const facts = { applicable: true, exact: law.exact, mean: law.mean, nullMean: nullLaw.mean } as const
  const gain = law.mean - nullLaw.mean
  if (gain <= 1e-12) return { ...facts, low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  // the critical value moves by whole steps, a tooth every step/gain tokens; scores off a lattice have no teeth
  const window = law.low === law.high ? Math.ceil((100 * law.step) / gain) : 0
  const needed = (rounded: 'low' | 'high'): number =>
    firstReached((n) => powerAt(law, nullLaw, n, alpha, rounded) >= power, window)
  const high = needed('low')
  return { ...facts, low: law.low === law.high ? high : needed('high'), high }
}
