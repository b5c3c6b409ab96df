/**
 * A watermark acts on the distribution that is finally sampled: after temperature, top-k and top-p. Truncating after the
 * watermark cuts off mass that the watermark moved, and the mean over keys is no longer the truncated p. The order is an
 * argument of the law, so that a decoder of your own can take the place of ours.
 */

import type { Watermark } from '../watermark.ts'
import {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  weights,
} from './arbitraries/index.ts'
import { averageOf, exactVocabulary, membersFor, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS } from './for-all.ts'
import { probabilities } from './fractions.ts'
import { KeysTrial } from './keys-trial.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown, showRule, showWeights } from './result.ts'
import { promisesOf } from './sizes.ts'
import { EVERY_SET } from './token-sets.ts'

const NAME = 'warped first, then marked'
/** Sampled first: truncations that cut off a good part. */
const cuts: readonly Omit<Few, 'keys'>[] = [
  { w: [5, 3, 2, 1], k: 2 },
  { w: [4, 3, 2, 2, 1, 1], k: 3 },
]
/** A vocabulary of which a good part is cut off: where most tokens have no mass, some implementations take another path. */
const wide: DistributionRule = { shape: 'zipf', vocabSize: 257, exponent: 1, order: 0 }
const WIDE_K = 50
const SAMPLED_RUNS = cuts.length + 1
/** Orbits of more members are not averaged on a wide vocabulary. */
const MAX_MEMBERS = 2 ** 10

type Step = (p: Float64Array) => Float64Array

/** How a decoder puts its parts together: the model's distribution to what is sampled from. */
export type Decoder = (p: Float64Array, warp: Step, mark: Step) => Float64Array

/** The right order. */
export const warpThenMark: Decoder = (p, warp, mark) => mark(warp(p))
/** The order of a library whose top-k comes after custom processors. */
export const markThenWarp: Decoder = (p, warp, mark) => warp(mark(p))

/** Keeps the k largest masses (and what ties with the last of them), scaled to sum to 1. */
export function topK(p: Float64Array, k: number): Float64Array {
  const least = p.toSorted()[Math.max(0, p.length - k)]!
  const kept = p.map((mass) => (mass >= least ? mass : 0))
  const total = kept.reduce((sum, mass) => sum + mass, 0)
  return kept.map((mass) => mass / total)
}

/** Few tokens, or a rule for many; the k most probable are kept. */
interface Few {
  readonly w: number[]
  readonly k: number
  readonly keys: number
}
interface Wide {
  readonly rule: DistributionRule
  readonly k: number
  readonly keys: number
}

const cutAt = (shown: Shown, k: number): Shown => ({
  ...shown,
  also: [shown.also, `top-k with k = ${k}`].filter(Boolean).join(', '),
})
const showFew = (one: Few): Shown => cutAt(showWeights(one), one.k)
const showWide = (one: Wide): Shown => cutAt(showRule(one), one.k)

/** The watermark as the decoder sees it: a reweighting of the model's own p, warpers included. */
function decoded<Code>(watermark: Watermark<Code>, decoder: Decoder, warp: Step): Watermark<Code> {
  const marking =
    (code: Code): Step =>
    (p) => {
      const q = new Float64Array(p.length)
      watermark.reweight(p, code, q)
      return q
    }
  return { ...watermark, reweight: (p, code, q) => q.set(decoder(p, warp, marking(code))) }
}

/** The distribution that the decoder hands to the watermark. */
function handed(decoder: Decoder, p: Float64Array, warp: Step): Float64Array {
  let seen = p
  decoder(p, warp, (given) => {
    seen = given
    return given
  })
  return seen
}

interface Cut {
  readonly p: Float64Array
  readonly k: number
  readonly keys: number
}

/** Top-k; what it makes of p itself is computed once. */
function warpOf({ p, k }: Cut): { readonly warp: Step; readonly target: Float64Array } {
  const target = topK(p, k)
  return { warp: (given) => (given === p ? target.slice() : topK(given, k)), target }
}

function exactly<Code>(watermark: Watermark<Code>, decoder: Decoder, cut: Cut): void {
  const { p, keys } = cut
  const { warp, target } = warpOf(cut)
  const code = oneCode(watermark, keys, p.length)
  const members = membersFor(watermark, code, handed(decoder, p, warp))
  mustEqual(
    averageOf(decoded(watermark, decoder, warp), members, p),
    target,
    'the average of what is sampled from',
  )
}

/** Whether the orbit of a code on the wide vocabulary is small enough to be averaged. */
function isAverageable<Code>(watermark: Watermark<Code>, keys: number): boolean {
  if (watermark.orbit === undefined) return false
  const p = topK(distributionOf(wide), WIDE_K)
  let left = MAX_MEMBERS
  for (const _ of watermark.orbit(oneCode(watermark, keys, p.length), p)) if (--left < 0) return false
  return true
}

/**
 * Applied after top-k the watermark is unbiased for the truncated distribution.
 * @param decoder the order to test; by default warpers first
 */
export async function warpingOrder<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  decoder: Decoder = warpThenMark,
): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const largest = exactVocabulary(watermark)
  const exact = largest >= 3
  const few = fc.record({
    w: weights({ minTokens: 2, maxTokens: exact ? Math.min(6, largest) : 6, maxWeight: 100 }),
    k: fc.integer({ min: 1, max: 5 }),
    keys: keySeed(),
  })
  const many = fc.record({
    rule: distributionRule({ maxTokens: wide.vocabSize }),
    k: fc.noShrink(fc.constant(WIDE_K)),
    keys: keySeed(),
  })
  const widest: Wide[] = [{ rule: wide, k: WIDE_K, keys: trial.seed }]

  if (exact) {
    const found = await forAll(trial, { part: 'few', arbitrary: few, runs: trial.runs }, ({ w, k, keys }) =>
      exactly(watermark, decoder, { p: probabilities(w), k, keys }),
    )
    if (found.why !== undefined || !isAverageable(watermark, trial.seed))
      return resultOf(NAME, trial, found, showFew)
    const sizes = await forAll(
      trial,
      { part: 'sizes', arbitrary: many, examples: widest, runs: widest.length },
      ({ rule, k, keys }) => exactly(watermark, decoder, { p: distributionOf(rule), k, keys }),
    )
    return resultOf(NAME, trial, { ...sizes, cases: found.cases + sizes.cases }, showWide)
  }

  const keysTrial = new KeysTrial(trial, SAMPLED_RUNS + widest.length)
  // what is sampled from, made of the model's p, against the truncated p
  const sampled = (cut: Cut): Promise<void> => {
    const { warp, target } = warpOf(cut)
    const whole = decoded(watermark, decoder, warp)
    const fromModel = {
      ...whole,
      reweight: (_: Float64Array, code: Code, q: Float64Array) => whole.reweight(cut.p, code, q),
    }
    return keysTrial.test(fromModel, target, cut.keys)
  }
  const promises = promisesOf([EVERY_SET, wide.vocabSize], trial)
  const evidence = () =>
    keysTrial.tally.evidence(trial.falseAlarm, { miss: trial.miss, bias: promises[0]!.bias }, promises)
  const found = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: few,
      examples: cuts.map((cut, i) => ({ ...cut, w: [...cut.w], keys: trial.seed + i })),
      runs: SAMPLED_RUNS,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ w, k, keys }) => sampled({ p: probabilities(w), k, keys }),
  )
  if (found.why !== undefined) return resultOf(NAME, trial, found, showFew, evidence())
  const sizes = await forAll(
    trial,
    { part: 'sizes', arbitrary: many, examples: widest, runs: widest.length, shrinks: SAMPLED_SHRINKS },
    ({ rule, k, keys }) => sampled({ p: distributionOf(rule), k, keys }),
  )
  if (sizes.why === undefined && !keysTrial.marked)
    return notApplicable(NAME, 'the context rule marks no position')
  return resultOf(NAME, trial, sizes, showWide, evidence())
}

export const warpingOrderLaw = {
  name: NAME,
  statement: 'applied after top-k the watermark is unbiased for the truncated distribution',
  sampled: true,
  check: <Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> =>
    warpingOrder(watermark, trial),
}
