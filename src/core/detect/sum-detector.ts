import { number, outOfRange, refuseUnknown } from '../../input.ts'
import type { Detector, Evidence, NullLaw, Outcome, ScoredText, SumDetectorOptions } from '../../watermark.ts'
import type { ContextRule } from '../keys/rule.ts'
import { checkLaw, lawFor } from './null-laws.ts'
import { pairCounts } from './pair-counts.ts'

/** ln of the p-value of a sum of scores, by the law that fits how contexts recur. */
export function logTailOf(
  law: NullLaw,
  rule: ContextRule,
  text: ScoredText,
  statistic: number,
  scored: number,
): number {
  if (rule.recurs && law.logTailOfCounts === undefined && law.logTailOfContexts === undefined)
    throw new TypeError(`nullLaw ${law.name}: has no law for contexts that recur, which ${rule.id} allows`)
  if (scored === 0) return 0
  if (law.logTailOfContexts !== undefined) return law.logTailOfContexts(statistic, text)
  return rule.recurs ? law.logTailOfCounts!(statistic, pairCounts(text)) : law.logTail(statistic, scored)
}

/**
 * The sum of the scores, and its exact tail. Where contexts cannot recur the scores are independent. Where they can (a fixed
 * green set, repeated n-grams) equal tokens share one score: n tokens are not n trials, and the law of
 * `sum over pairs of count * score` is used: `logTailOfCounts` where scores of different tokens under one context are
 * independent, as they are for codes made of a hash per token, or `logTailOfContexts` where they are not.
 * @example sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }).bound // 1
 */
export function sumDetector(options: SumDetectorOptions): Detector {
  refuseUnknown('sumDetector', options, ['nullLaw', 'bound', 'keyless'])
  checkLaw('nullLaw', options?.nullLaw)
  const bound = number('bound', options.bound ?? Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY)
  const { keyless } = options
  const test = (evidence: Evidence): Outcome => {
    const { tokens, rule } = evidence
    const law = lawFor(options.nullLaw, evidence.vocabSize)
    const perToken = evidence.scoreEach()
    const contexts =
      keyless === undefined
        ? evidence.contexts
        : evidence.contexts.map((context) => (context && keyless(context) ? undefined : context))
    let statistic = 0
    let scored = 0
    for (let t = 0; t < perToken.length; t++) {
      if (contexts[t] === undefined) {
        perToken[t] = Number.NaN
        continue
      }
      const score = perToken[t]!
      if (!(score >= 0 && score <= bound))
        throw outOfRange(`score of token ${tokens[t]} at ${t}`, `a number in [0, ${bound}]`, score)
      statistic += score
      scored++
    }
    const logPValue = logTailOf(law, rule, { tokens, contexts }, statistic, scored)
    if (logPValue === Number.NEGATIVE_INFINITY)
      throw outOfRange('sum of scores', `a sum that ${law.name} allows for ${scored} scores`, statistic)
    return { statistic, logPValue: Math.min(0, logPValue), exact: law.exact, scored, perToken }
  }
  return {
    id: 'sum',
    bound,
    nullLaw: options.nullLaw,
    keyless,
    fast: { sum: options, of: test },
    follows: ({ foundBy }) => foundBy === undefined,
    test,
  }
}
