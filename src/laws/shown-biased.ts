import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { averageOf, listedVocabulary, totalVariation } from './average.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawEvidence, type LawResult, notApplicable, type Trial } from './law.ts'
import { counterexampleOf } from './result.ts'
import { Tally } from './tally.ts'
import { keysTest } from './unbiased-over-keys.ts'

const NAME = 'shown biased'
/** An exact average that is off by more than this is no rounding. */
const BEYOND_ROUNDING = 1e-9
/** Where sampling looks: the bias of logit methods is largest near one token of 0.7 to 0.8. */
const shapes: readonly number[][] = [
  [3, 1],
  [7, 2, 1],
  [2, 1],
  [20, 3, 2, 1],
]

interface Case {
  readonly w: number[]
  readonly keys: number
}

/** Looks for a distribution whose exact average over all codes is not p. */
async function exactly<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  maxTokens: number,
): Promise<[Found<Case>, LawEvidence]> {
  const arbitrary = fc.record({ w: weights({ minTokens: 2, maxTokens, maxWeight: 100 }), keys: keySeed() })
  const found = await forAll(trial, { arbitrary, runs: trial.runs }, ({ w }) => {
    const p = probabilities(w)
    const bias = totalVariation(averageOf(watermark, watermark.enumerate!(p.length), p), p)
    if (bias > BEYOND_ROUNDING)
      throw new Violation(
        `over every code, the average of q is ${bias.toPrecision(3)} away from p in total variation`,
      )
  })
  return [found, { kind: 'exact', cases: found.cases }]
}

/** The same over keys: a bias of at least `bias` is shown but for the false-alarm rate, one that is not there never is. */
async function sampled<Code>(watermark: Watermark<Code>, trial: Trial): Promise<[Found<Case>, LawEvidence]> {
  const rates = { falseAlarm: trial.falseAlarm / shapes.length, miss: trial.falseAlarm, bias: trial.bias }
  const tally = new Tally()
  const arbitrary = fc.record({ w: weights({ minTokens: 2, maxTokens: 4, maxWeight: 100 }), keys: keySeed() })
  const examples = shapes.map((w, i) => ({ w, keys: trial.seed + i }))
  const found = await forAll(
    trial,
    { arbitrary, examples, runs: shapes.length, shrinks: SAMPLED_SHRINKS },
    async ({ w, keys }) => {
      const test = await keysTest(watermark, probabilities(w), keys, rates, trial)
      tally.add(test)
      if (test.verdict === 'fails')
        throw new Violation(
          `after ${test.taken} keys the mean of q is ${test.observed.toPrecision(3)} away from p in total variation`,
        )
    },
  )
  return [found, tally.evidence(trial.falseAlarm, rates)]
}

/**
 * A watermark that says it is biased is shown to be, with a distribution on which it is: exactly where it can list its codes.
 * So a control that has lost its bias, or a claim that is too modest, is noticed.
 */
async function shownBiased<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.unbiased) return notApplicable(NAME, 'declared unbiased')
  const listed = listedVocabulary(watermark)
  const [found, evidence] =
    listed < 2 ? await sampled(watermark, trial) : await exactly(watermark, trial, listed)
  if (found.why === undefined) {
    const least = evidence.kind === 'sampled' ? evidence.smallestBias : BEYOND_ROUNDING
    const detail = `declared biased, but no bias of ${least} or more was found on ${found.cases} distributions`
    return { law: NAME, verdict: 'fails', detail, evidence }
  }
  const counterexample = counterexampleOf(NAME, trial, found, ({ w }) => ({ p: fractions(w) }))
  return { law: NAME, verdict: 'holds', detail: found.why, evidence, counterexample }
}

export const shownBiasedLaw = {
  name: NAME,
  statement: 'declared biased, and shown to be on a distribution',
  sampled: true,
  check: shownBiased,
}
