import { callable, integer, number, outOfRange, refuseUnknown } from '../../input.ts'
import type { Detector, Evidence, LawOf } from '../../watermark.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import { checkLaw, lawFor } from './null-laws.ts'

/** The largest weight of a pair. */
const MAX_WEIGHT = 2 ** 20

export interface PairDetectorOptions {
  /** The law of one score, with a tail of counts: scores of different tokens under one context are independent. */
  readonly nullLaw: LawOf
  /** Scores lie in [0, bound]. Default: 1. */
  readonly bound?: number
  /** The weight of a pair of context and token that occurs `count` times: an integer. */
  readonly weight: (count: number) => number
}

/** Each pair of context and token that is scored, once: its score and how often it occurs. */
function pairsOf({ tokens, contexts, scoreEach }: Evidence) {
  const perToken = scoreEach()
  const numbers = new ContextMemory()
  const pairs: { score: number; count: number }[] = []
  for (let t = 0; t < tokens.length; t++) {
    const context = contexts[t]
    if (context === undefined) continue
    const pair = numbers.index([...context, tokens[t]!])
    pairs[pair] ??= { score: perToken[t]!, count: 0 }
    pairs[pair].count++
  }
  return { pairs, perToken }
}

/**
 * The sum of `weight(count) * score` over the pairs of context and token of a text, and its exact tail. For contexts that recur, as under a fixed green set: a
 * sum over tokens weighs a pair by its count, so a few frequent words decide; a weight that grows more slowly than the count needs fewer tokens.
 * @example pairDetector({ nullLaw: binomial(1 / 2), weight: (count) => Math.round(16 * Math.sqrt(count)) }).id // 'pairs'
 */
export function pairDetector(options: PairDetectorOptions): Detector {
  refuseUnknown('pairDetector', options, ['nullLaw', 'bound', 'weight'])
  checkLaw('nullLaw', options?.nullLaw)
  const { nullLaw, weight } = options
  callable('weight', weight, 'a function (count) => number')
  const bound = number('bound', options.bound ?? 1, 0, Number.POSITIVE_INFINITY)
  return {
    id: 'pairs',
    bound,
    nullLaw,
    follows: ({ foundBy }) => foundBy === undefined,
    test(evidence) {
      const law = lawFor(nullLaw, evidence.vocabSize)
      if (law.logTailOfCounts === undefined)
        throw new TypeError(
          `nullLaw ${law.name}: expected a law with a tail of counts, such as binomial(1 / 2)`,
        )
      const { pairs, perToken } = pairsOf(evidence)
      const weights = pairs.map(({ count }) => integer(`weight(${count})`, weight(count), 0, MAX_WEIGHT))
      let statistic = 0
      let scored = 0
      for (const [i, { score, count }] of pairs.entries()) {
        if (!(score >= 0 && score <= bound)) throw outOfRange('score', `a number in [0, ${bound}]`, score)
        statistic += weights[i]! * score
        scored += count
      }
      const logPValue = scored === 0 ? 0 : Math.min(0, law.logTailOfCounts(statistic, weights))
      return { statistic, logPValue, exact: law.exact, scored, perToken }
    },
  }
}
