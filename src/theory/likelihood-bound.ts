/**
 * The fewest tokens with which any detector can see a watermark. With the key and the model's distribution p, a detector can compute the
 * likelihood ratio q(x)/p(x) of each token; by Neyman and Pearson no test of the same level has more power than their product. The distance
 * of a detector that sees neither p nor q from that bound is what could be gained.
 *
 * The logarithms are rounded to a grid, with the exact masses of both laws in each cell: that is a test too, and its error rates are
 * computed, not approximated. It needs at least as many tokens as the best test, and hardly more.
 */

import { logLatticeTail, smallest } from '../core/stats/index.ts'
import { number } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { checkSteps, requireListed } from './checked.ts'
import { keysToDraw, type StepLawOptions, stepLaw } from './step-law.ts'
import { firstReached } from './tokens-needed.ts'

/** The bound that the likelihood ratio gives. */
export interface LikelihoodBound {
  /** Scored tokens that the likelihood-ratio test needs; Infinity where q = p. */
  readonly tokens: number
  /** Information per token: the mean of ln q(x)/p(x) for marked tokens, in nats. */
  readonly nats: number
  /** False where keys were sampled. */
  readonly exact: boolean
}

/** Width of a cell, in nats, and the least logarithm that is told apart. */
const STEP = 1 / 32
const LEAST = -16

/** Larger vocabularies have more codes than can be listed in good time. */
const MAX_LISTED = 8

/** Masses of the cells for marked and for unmarked tokens, and the chance that an unmarked token is one that a marked text could hold. */
interface RatioLaw {
  readonly marked: Float64Array
  readonly unmarked: Float64Array
  readonly logPossible: number
  readonly nats: number
  readonly exact: boolean
}

/** Returns the law of one position's ratio; over several distributions, each of which is as likely and known to the test. */
function ratioLaw<Code>(
  watermark: Watermark<Code>,
  steps: readonly Float64Array[],
  options: StepLawOptions,
): RatioLaw {
  const listed = steps[0]!.length <= MAX_LISTED ? watermark : { ...watermark, enumerate: undefined }
  const { keys, seed } = keysToDraw('likelihoodBound', options, 200)
  const leastOf = (p: Float64Array): number =>
    p.reduce((least, mass) => (mass > 0 && mass < least ? mass : least), 1)
  const top = -Math.log(steps.reduce((least, p) => Math.min(least, leastOf(p)), 1))
  const cells = Math.round((top - LEAST) / STEP) + 1
  const [marked, unmarked] = [new Float64Array(cells), new Float64Array(cells)]
  let [nats, possible, exact] = [0, 0, true]
  for (const [i, p] of steps.entries()) {
    const law = stepLaw<Code>(listed as Watermark<Code>, p, {
      keys: Math.ceil(keys / steps.length),
      seed: steps.length === 1 ? seed : `${seed}/${i}`,
    })
    exact &&= law.exact
    for (const { q, weight: share } of law.members)
      for (let x = 0; x < p.length; x++) {
        if (!(q[x]! > 0 && p[x]! > 0)) continue
        const weight = share / steps.length
        const log = Math.log(q[x]! / p[x]!)
        const cell = Math.min(cells - 1, Math.round((Math.max(log, LEAST) - LEAST) / STEP))
        marked[cell]! += weight * q[x]!
        unmarked[cell]! += weight * p[x]!
        nats += weight * q[x]! * log
        possible += weight * p[x]!
      }
  }
  const normal = (masses: Float64Array): Float64Array => {
    const total = masses.reduce((sum, mass) => sum + mass, 0)
    return masses.map((mass) => mass / total)
  }
  return { marked: normal(marked), unmarked: normal(unmarked), logPossible: Math.log(possible), nats, exact }
}

/** Returns the power of the test of level alpha with n tokens. */
function powerOf({ marked, unmarked, logPossible }: RatioLaw, n: number, alpha: number): number {
  const rejected = (k: number): boolean => n * logPossible + logLatticeTail(unmarked, k, n) <= Math.log(alpha)
  const critical = smallest(rejected, -1, n * (marked.length - 1) + 1)
  return Math.exp(logLatticeTail(marked, critical, n))
}

/**
 * Returns the number of scored tokens that the likelihood-ratio test needs at level alpha for the given power, on text whose every
 * next-token distribution is `distribution`: no detector needs fewer. With a list, every position of the text has one of its
 * distributions, each as likely.
 * @example likelihoodBound(gumbel(), Float64Array.of(0.5, 0.3, 0.2), 0.01, 0.999).tokens // 5: an unmarked text agrees with probability 0.38^5 = 0.008
 */
export function likelihoodBound<Code>(
  watermark: Watermark<Code>,
  distribution: Float64Array | readonly Float64Array[],
  alpha: number,
  power: number,
  options: StepLawOptions = {},
): LikelihoodBound {
  requireListed(watermark)
  const steps = checkSteps('distribution', distribution)
  number('alpha', alpha, 0, 1, true)
  number('power', power, 0, 1, true)
  const law = ratioLaw(watermark, steps, options)
  const { nats, exact } = law
  if (nats <= 1e-9) return { tokens: Number.POSITIVE_INFINITY, nats: 0, exact }
  return { tokens: firstReached((n) => powerOf(law, n, alpha) >= power, 0), nats, exact }
}
