/**
 * A watermark acts on the distribution that is finally sampled: after temperature, top-k and top-p. Truncating after the
 * watermark cuts off mass that the watermark moved, and the mean over keys is no longer the truncated p. The order is an
 * argument of the law, so that a decoder of your own can take the place of ours.
 */

import { seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { averageOf, exactVocabulary, membersFor, mustEqual } from './average.ts'
import { codesOf, contextsOf, oneCode, secretKey } from './codes.ts'
import { meanTest } from './engine/index.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'
import { Tally, untilVerdict } from './tally.ts'

const NAME = 'warped first, then marked'
/** Sampled first: truncations that cut off a good part. */
const cuts: readonly Omit<Case, 'keys'>[] = [
  { w: [5, 3, 2, 1], k: 2 },
  { w: [4, 3, 2, 2, 1, 1], k: 3 },
]
const SAMPLED_RUNS = cuts.length + 2
const CONTEXTS = 8

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

interface Case {
  readonly w: number[]
  readonly k: number
  readonly keys: number
}

const show = ({ w, k }: Case): Shown => ({ p: fractions(w), also: `top-k with k = ${k}` })

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

function exactly<Code>(watermark: Watermark<Code>, decoder: Decoder, { w, k, keys }: Case): void {
  const p = probabilities(w)
  const warp: Step = (given) => topK(given, k)
  const code = oneCode(watermark, keys, p.length)
  const members = membersFor(watermark, code, handed(decoder, p, warp))
  mustEqual(
    averageOf(decoded(watermark, decoder, warp), members, p),
    warp(p),
    'the average of what is sampled from',
  )
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
  const arbitrary = fc.record({
    w: weights({ minTokens: 2, maxTokens: exact ? Math.min(6, largest) : 6, maxWeight: 100 }),
    k: fc.integer({ min: 1, max: 5 }),
    keys: keySeed(),
  })

  if (exact) {
    const found = await forAll(trial, { arbitrary, runs: trial.runs }, (one) =>
      exactly(watermark, decoder, one),
    )
    return resultOf(NAME, trial, found, show)
  }
  const rates = { falseAlarm: trial.falseAlarm / SAMPLED_RUNS, miss: trial.miss, bias: trial.bias }
  const tally = new Tally()
  const examples = cuts.map((cut, i) => ({ ...cut, w: [...cut.w], keys: trial.seed + i }))
  const found = await forAll(
    trial,
    { arbitrary, examples, runs: SAMPLED_RUNS, shrinks: SAMPLED_SHRINKS },
    async ({ w, k, keys }) => {
      const p = probabilities(w)
      const warp: Step = (given) => topK(given, k)
      const whole = decoded(watermark, decoder, warp)
      const contexts = contextsOf(watermark, p.length, CONTEXTS, seededRandom(keys, 'warp'))
      if (contexts.length === 0) throw new Violation('the context rule marks no position')
      const mean = (key: number): Float64Array =>
        averageOf(
          whole,
          codesOf(whole, secretKey(keys, key), p.length, contexts).map((code) => ({
            code,
            weight: 1 / contexts.length,
          })),
          p,
        )
      const test = await untilVerdict(meanTest(warp(p), rates), (one, i) => one.add(mean(i)), trial)
      tally.add(test)
      if (test.verdict === 'fails')
        throw new Violation(
          `after ${test.taken} keys the mean is ${test.observed.toPrecision(3)} away from the truncated p`,
        )
    },
  )
  return resultOf(NAME, trial, found, show, tally.evidence(trial.falseAlarm, rates))
}

export const warpingOrderLaw = {
  name: NAME,
  statement: 'applied after top-k the watermark is unbiased for the truncated distribution',
  sampled: true,
  check: <Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> =>
    warpingOrder(watermark, trial),
}
