import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { exactAverage, exactVocabulary, mustEqual } from './average.ts'
import { oneCode } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'

const NAME = 'unbiased, exactly'
/** Codes per distribution: with several, whether it is a counterexample hardly depends on luck, and shrinking goes further. */
const KEYS = 4
const zipf = Array.from({ length: 200 }, (_, i) => Math.round(10_000 / (i + 1)))

/**
 * One-shot unbiased without sampling: over the orbit of a drawn code (or over every code, where the watermark can list them)
 * the weighted average of q is p, for random distributions.
 */
async function unbiasedOverOrbit<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const maxTokens = Math.min(8, exactVocabulary(watermark))
  if (maxTokens < 2) return notApplicable(NAME, 'declares no orbit; tested over keys instead')
  const averages = ({ w, keys }: { w: number[]; keys: number }): void => {
    const p = probabilities(w)
    for (let key = 0; key < KEYS; key++) {
      const code = oneCode(watermark, keys, p.length, key)
      mustEqual(exactAverage(watermark, code, p), p, 'the average of q over the orbit')
    }
  }
  const drawn = (tokens: number) => fc.record({ w: weights({ maxTokens: tokens }), keys: keySeed() })
  const small = await forAll(
    trial,
    { part: 'small', arbitrary: drawn(maxTokens), runs: trial.runs },
    averages,
  )
  // an orbit also averages to p on a vocabulary large enough for the fast paths of an implementation
  const wide = {
    part: 'wide',
    arbitrary: drawn(zipf.length),
    examples: [{ w: zipf, keys: trial.seed }],
    runs: 1,
  }
  const found =
    watermark.orbit === undefined || small.value !== undefined ? small : await forAll(trial, wide, averages)
  const cases = found === small ? small.cases : small.cases + found.cases
  return resultOf(NAME, trial, { ...found, cases }, ({ w }) => ({ p: fractions(w) }))
}

export const unbiasedOverOrbitLaw = {
  name: NAME,
  statement: 'over the orbit of a code the weighted average of q equals p',
  sampled: false,
  check: unbiasedOverOrbit,
}
