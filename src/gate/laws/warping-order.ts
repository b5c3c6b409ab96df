/**
 * A watermark acts on the distribution that is finally sampled: after temperature, top-k and top-p. Truncating after the
 * watermark cuts off mass that the watermark moved, and the mean over keys is no longer the truncated p. The order is an
 * argument of the law, so that a decoder of your own can take the place of ours.
 */
import { targetLaw } from '../../core/embed/index.ts'
import type { Watermark } from '../../watermark.ts'
import {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  weights,
} from './arbitraries/index.ts'
import { averageOf, exactVocabulary, isAverageable, membersFor, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { showRule, showWeights } from './distributions.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, resultOf, SAMPLED_SHRINKS } from './for-all.ts'
import { probabilities } from './fractions.ts'
import { defineLaw, type Law, notApplicable, type Shown, type Trial } from './law.ts'
import { KeysTrial } from './tally.ts'

/** Sampled first: truncations that cut off a good part. */
const cuts: readonly Few[] = [
  { w: [5, 3, 2, 1], k: 2 },
  { w: [4, 3, 2, 2, 1, 1], k: 3 },
]
/** A vocabulary of which a good part is cut off: where most tokens have no mass, some implementations take another path. */
const wide: DistributionRule = { shape: 'zipf', vocabSize: 257, exponent: 1, order: 0 }
const WIDE_K = 50
/** Orbits of more members are not averaged on a wide vocabulary. */
const MAX_MEMBERS = 2 ** 10

type Step = (p: Float64Array) => Float64Array

/** Makes the distribution that is sampled from out of the model's: the order of a decoder's parts. */
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

/** A distribution over few tokens, of which the k most probable are kept. */
interface Few {
  readonly w: number[]
  readonly k: number
}

const cutAt = (shown: Shown, k: number): Shown => ({
  ...shown,
  also: [shown.also, `top-k with k = ${k}`].filter(Boolean).join(', '),
})

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
    targetLaw(watermark, target),
    'the average of what is sampled from',
  )
}

/** Makes a reweighting of the truncated p out of what is sampled from, given the model's own p. */
function truncated<Code>(watermark: Watermark<Code>, decoder: Decoder, cut: Cut): Watermark<Code> {
  const { reweight } = decoded(watermark, decoder, warpOf(cut).warp)
  return { ...watermark, reweight: (_, code, q) => reweight(cut.p, code, q) }
}

interface CutPlan {
  readonly maxTokens: number
  /** Cuts over few tokens that are tried first. */
  readonly examples: readonly Few[]
  readonly runs: number
  readonly shrinks?: number
  /** Returns whether the wide vocabulary is tried too. */
  isWide(): boolean
}

/** Tries a predicate on truncated distributions: over few tokens, then over many. */
async function forCuts(
  trial: Trial,
  { maxTokens, examples, runs, shrinks, isWide }: CutPlan,
  check: (cut: Cut) => Promise<void> | void,
): Promise<Found> {
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({
        w: weights({ minTokens: 2, maxTokens, maxWeight: 100 }),
        k: fc.integer({ min: 1, max: 5 }),
        keys: keySeed(),
      }),
      examples: examples.map(({ w, k }, i) => ({ w: [...w], k, keys: trial.seed + i })),
      runs,
      shrinks,
      show: (one) => cutAt(showWeights(one), one.k),
    },
    ({ w, k, keys }) => check({ p: probabilities(w), k, keys }),
  )
  if (few.why !== undefined || !isWide()) return few
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({
        rule: distributionRule({ maxTokens: wide.vocabSize }),
        k: fc.noShrink(fc.constant(WIDE_K)),
        keys: keySeed(),
      }),
      examples: [{ rule: wide, k: WIDE_K, keys: trial.seed }],
      runs: 1,
      shrinks,
      show: (one) => cutAt(showRule(one), one.k),
    },
    ({ rule, k, keys }) => check({ p: distributionOf(rule), k, keys }),
  )
  return { ...sizes, cases: few.cases + sizes.cases }
}

/** Makes the law for a decoder. */
export const warpingOrder = (decoder: Decoder): Law =>
  defineLaw(
    {
      name: 'warped first, then marked',
      statement: 'applied after top-k the watermark is unbiased for the truncated distribution',
      sampled: true,
    },
    async (watermark, trial) => {
      if (!watermark.unbiased) return notApplicable('declared biased')
      const largest = exactVocabulary(watermark)
      if (largest >= 3) {
        const isWide = (): boolean =>
          watermark.orbit !== undefined &&
          isAverageable(watermark, topK(distributionOf(wide), WIDE_K), trial.seed, MAX_MEMBERS)
        const plan = { maxTokens: Math.min(6, largest), examples: [], runs: trial.runs, isWide }
        return resultOf(await forCuts(trial, plan, (cut) => exactly(watermark, decoder, cut)))
      }
      const trials = new KeysTrial(trial, cuts.length + 2)
      const found = await forCuts(
        trial,
        {
          maxTokens: 6,
          examples: cuts,
          runs: cuts.length + 1,
          shrinks: SAMPLED_SHRINKS,
          isWide: () => true,
        },
        (cut) => trials.test(truncated(watermark, decoder, cut), warpOf(cut).target, cut.keys),
      )
      if (found.why === undefined && !trials.marked)
        return notApplicable('the context rule marks no position')
      return trials.result(found, [wide.vocabSize])
    },
  )

export const warpingOrderLaw = warpingOrder(warpThenMark)
