import fc from 'fast-check'
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { declaresAverage, exactAverage, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { forAll } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'

const NAME = 'unbiased, exactly'

/**
 * One-shot unbiased without sampling: over the orbit of a drawn code (or over every code, where the watermark can list them)
 * the weighted average of q is p, for random distributions.
 * @example (await unbiasedOverOrbit(dipmark({ alpha: 0.4 }), trial())).verdict // 'holds'
 */
export async function unbiasedOverOrbit<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  if (!declaresAverage(watermark)) return notApplicable(NAME, 'declares no orbit; tested over keys instead')
  const arbitrary = fc.record({ w: weights(), keys: keySeed() })
  const found = await forAll(trial, { arbitrary, runs: trial.runs }, ({ w, keys }) => {
    const p = probabilities(w)
    const code = oneCode(watermark, keys, p.length)
    mustEqual(exactAverage(watermark, code, p), p, 'the average of q over the orbit')
  })
  return resultOf(NAME, trial, found, ({ w }) => ({ p: fractions(w) }))
}

export const unbiasedOverOrbitLaw = {
  name: NAME,
  statement: 'over the orbit of a code the weighted average of q equals p',
  sampled: false,
  check: unbiasedOverOrbit,
}
