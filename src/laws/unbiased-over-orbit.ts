import type { Watermark } from '../watermark.ts'
import {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  weights,
} from './arbitraries/index.ts'
import { exactAverage, exactVocabulary, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll } from './for-all.ts'
import { probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, showRule, showWeights } from './result.ts'
import { LARGEST, rulesFor } from './sizes.ts'

const NAME = 'unbiased, exactly'
/** Codes per distribution: with several, whether it is a counterexample hardly depends on luck, and shrinking goes further. */
const KEYS = 4
/** Orbits are averaged up to so many members times tokens. */
const MAX_WORK = 2 ** 22

/** Whether the orbit of a code is small enough to be averaged over a vocabulary of this size. */
function isAverageable<Code>(watermark: Watermark<Code>, rule: DistributionRule, keys: number): boolean {
  const p = distributionOf(rule)
  let left = MAX_WORK / rule.vocabSize
  for (const _ of watermark.orbit!(oneCode(watermark, keys, p.length), p)) if (--left < 0) return false
  return true
}

function averages<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number, keys: number): void {
  for (let key = 0; key < keys; key++) {
    const code = oneCode(watermark, seed, p.length, key)
    mustEqual(exactAverage(watermark, code, p), p, 'the average of q over the orbit')
  }
}

/**
 * One-shot unbiased without sampling: over the orbit of a drawn code (or over every code, where the watermark can list them)
 * the weighted average of q is p, for random distributions; where there is an orbit, on vocabularies up to 50,257 tokens.
 */
async function unbiasedOverOrbit<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const maxTokens = Math.min(8, exactVocabulary(watermark))
  if (maxTokens < 2) return notApplicable(NAME, 'declares no orbit; tested over keys instead')
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({ w: weights({ maxTokens }), keys: keySeed() }),
      runs: trial.runs,
    },
    ({ w, keys }) => averages(watermark, probabilities(w), keys, KEYS),
  )
  if (few.why !== undefined || watermark.orbit === undefined) return resultOf(NAME, trial, few, showWeights)
  // where implementations take their fast paths
  const examples = rulesFor(trial)
    .map((rule, i) => ({ rule, keys: trial.seed + i }))
    .filter(({ rule, keys }) => isAverageable(watermark, rule, keys))
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({ rule: distributionRule({ maxTokens: LARGEST }), keys: keySeed() }),
      examples,
      runs: examples.length,
    },
    ({ rule, keys }) => averages(watermark, distributionOf(rule), keys, 1),
  )
  return resultOf(NAME, trial, { ...sizes, cases: few.cases + sizes.cases }, showRule)
}

export const unbiasedOverOrbitLaw = {
  name: NAME,
  statement: 'over the orbit of a code the weighted average of q equals p',
  sampled: false,
  check: unbiasedOverOrbit,
}
