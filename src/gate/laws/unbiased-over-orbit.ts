import { targetLaw } from '../../core/embed/index.ts'
import type { Watermark } from '../../watermark.ts'
import { averageOf, exactVocabulary, isAverageable, membersFor, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { forRules, forWeights } from './distributions.ts'
import { resultOf } from './for-all.ts'
import { defineLaw, notApplicable } from './law.ts'
import { LARGEST, rulesFor } from './sizes.ts'

/** Codes per distribution: with several, whether it is a counterexample hardly depends on luck, and shrinking goes further. */
const KEYS = 4
/** The most members times tokens of an orbit that is averaged. */
const MAX_WORK = 2 ** 22

function averages<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number, keys: number): void {
  for (let key = 0; key < keys; key++) {
    const code = oneCode(watermark, seed, p.length, key)
    const average = averageOf(watermark, membersFor(watermark, code, p), p)
    mustEqual(average, targetLaw(watermark, p), 'the average of q over the orbit')
  }
}

/**
 * One-shot unbiased without sampling: over the orbit of a drawn code (or over every code, where the watermark can list them)
 * the weighted average of q is p, for random distributions; where there is an orbit, on vocabularies up to 50,257 tokens.
 */
export const unbiasedOverOrbitLaw = defineLaw(
  {
    name: 'unbiased, exactly',
    statement: 'over the orbit of a code the weighted average of q equals p',
    sampled: false,
  },
  async (watermark, trial) => {
    if (!watermark.unbiased) return notApplicable('declared biased')
    const maxTokens = Math.min(8, exactVocabulary(watermark))
    if (maxTokens < 2) return notApplicable('declares no orbit; tested over keys instead')
    const few = await forWeights(trial, { part: 'few', from: { maxTokens }, runs: trial.runs }, (p, keys) =>
      averages(watermark, p, keys, KEYS),
    )
    if (few.why !== undefined || watermark.orbit === undefined) return resultOf(few)
    // where implementations take their fast paths
    const plan = {
      part: 'sizes',
      from: { maxTokens: LARGEST },
      examples: rulesFor(trial),
      skips: (p: Float64Array, keys: number) => !isAverageable(watermark, p, keys, MAX_WORK / p.length),
      runs: 0,
    }
    const sizes = await forRules(trial, plan, (p, keys) => averages(watermark, p, keys, 1))
    return resultOf({ ...sizes, cases: few.cases + sizes.cases })
  },
)
