import { number, outOfRange, refuseUnknown } from '../input.ts'
import type { Detector, LawOf } from './detector.ts'
import { checkLaw, lawFor } from './null-laws.ts'
import { pairCounts } from './pair-counts.ts'

export interface SumDetectorOptions {
  /** The law of one score under the null, or a function of the vocabulary's size. */
  readonly nullLaw: LawOf
  /** Scores lie in [0, bound]. Default: unbounded, which means no robustness certificate. */
  readonly bound?: number
}

/**
 * The sum of the scores, and its exact tail. Where contexts cannot recur the scores are independent. Where they can (a fixed
 * green set, repeated n-grams) equal tokens share one score: n tokens are not n trials, and the law of
 * `sum over pairs of count * score` is used. That needs scores of different tokens under one context to be independent, as
 * they are for codes made of a hash per token.
 * @example sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }).bound // 1
 */
export function sumDetector(options: SumDetectorOptions): Detector {
  refuseUnknown('sumDetector', options, ['nullLaw', 'bound'])
  checkLaw('nullLaw', options?.nullLaw)
  const bound = number('bound', options.bound ?? Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY)
  return {
    id: 'sum',
    bound,
    nullLaw: options.nullLaw,
    follows: ({ foundBy }) => foundBy === undefined,
    test(evidence) {
      const { contexts, rule } = evidence
      const law = lawFor(options.nullLaw, evidence.vocabSize)
      const perToken = evidence.scoreEach()
      let statistic = 0
      let scored = 0
      for (let t = 0; t < perToken.length; t++) {
        if (contexts[t] === undefined) continue
        const score = perToken[t]!
        // a declaration that is wrong about its scores must not end in a p-value of 0
        if (!(score >= 0 && score <= bound))
          throw outOfRange('score', `a number in [0, ${bound}], as its detector declares`, score)
        statistic += score
        scored++
      }
      if (rule.recurs && law.logTailOfCounts === undefined)
        throw new TypeError(
          `nullLaw ${law.name}: has no law for contexts that recur, which ${rule.id} allows`,
        )
      const logPValue =
        scored === 0
          ? 0
          : rule.recurs
            ? law.logTailOfCounts!(statistic, pairCounts(evidence))
            : law.logTail(statistic, scored)
      if (!(logPValue > Number.NEGATIVE_INFINITY))
        throw outOfRange('score', `a total that nullLaw ${law.name} allows for ${scored} tokens`, statistic)
      return { statistic, logPValue: Math.min(0, logPValue), exact: law.exact, scored, perToken }
    },
  }
}
