import type { Watermark } from '../watermark.ts'
import { distributionOf, distributionRule, keySeed, weights } from './arbitraries/index.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, SAMPLED_SHRINKS } from './for-all.ts'
import { probabilities } from './fractions.ts'
import { KeysTrial } from './keys-trial.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown, showRule, showWeights } from './result.ts'
import { GENERATED, LARGEST, promisesOf, rulesFor } from './sizes.ts'
import { EVERY_SET } from './token-sets.ts'

const NAME = 'unbiased over keys'

/** Tried first: the shapes at which published methods and their mistakes differ most. */
export const shapesOfFew: readonly number[][] = [
  [1, 3],
  [5, 3, 2],
  [0, 1, 1, 1],
  [30, 3, 2, 1, 1, 1],
  // models are sure of most tokens
  [12, 1],
  [1, 95, 2, 1, 1],
  [1, 39],
]

/**
 * One-shot unbiased as keys really are: over random secret keys, through the key schedule and the context rule, the mean of q is
 * p, at every class of positions. On every set of tokens where at most eight have mass, on a family of sets where more do. The
 * false-alarm rate is that of all distributions together; the miss rate that of each.
 */
async function unbiasedOverKeys<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const rules = rulesFor(trial)
  const generated = GENERATED[trial.effort]
  const runs = { few: shapesOfFew.length + generated.few, sizes: rules.length + generated.sizes }
  const keys = new KeysTrial(trial, runs.few + runs.sizes)
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({ w: weights({ maxWeight: 1000 }), keys: keySeed() }),
      examples: shapesOfFew.map((w, i) => ({ w, keys: trial.seed + i })),
      runs: runs.few,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ w, keys: seed }) => keys.test(watermark, probabilities(w), seed),
  )
  const result = <T>(found: Found<T>, show: (value: T) => Shown): LawResult => {
    const promises = promisesOf([EVERY_SET, ...rules.map(({ vocabSize }) => vocabSize)], trial)
    const evidence = keys.tally.evidence(
      trial.falseAlarm,
      { miss: trial.miss, bias: promises[0]!.bias },
      promises,
    )
    return resultOf(NAME, trial, found, show, evidence)
  }
  if (few.why !== undefined) return result(few, showWeights)
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({
        rule: distributionRule({
          minTokens: EVERY_SET + 1,
          maxTokens: trial.maxVocabSize ?? LARGEST,
          shrinksTo: 2,
        }),
        keys: keySeed(),
      }),
      examples: rules.map((rule, i) => ({ rule, keys: trial.seed + i })),
      runs: runs.sizes,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ rule, keys: seed }) => keys.test(watermark, distributionOf(rule), seed),
  )
  if (sizes.why === undefined && !keys.marked)
    return notApplicable(NAME, 'the context rule marks no position')
  return result(sizes, showRule)
}

export const unbiasedOverKeysLaw = {
  name: NAME,
  statement: 'over random secret keys the mean of q equals p',
  sampled: true,
  check: unbiasedOverKeys,
}
