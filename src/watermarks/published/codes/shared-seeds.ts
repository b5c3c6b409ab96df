/**
 * Published codes seed a generator at each position, and different contexts may give one seed: seeds are reduced modulo the size of the vocabulary, or are
 * the smallest of a few hashes. Tokens under one seed read the same draw. The statistic is the published one where every position counts; else pairs of one seed and one token
 * are merged too, so it may count fewer. The p-value takes what shares a seed for the one draw that it is, and leaves out seeds that are the same under every key.
 */

import type { Context } from '../../../core/keys/index.ts'
import { ContextMemory } from '../../../core/keys/index.ts'
import type { Detector, Evidence, SeededCode } from '../../../watermark.ts'

/** The positions of a text that count: each context or each pair of context and token once, or every position. */
export type Counted = 'once' | 'pairs' | 'published'

/** Every position's context, where it is the first one with its token. */
function firstPairs({ tokens, contexts }: Pick<Evidence, 'tokens' | 'contexts'>): (Context | undefined)[] {
  const seen = new ContextMemory(tokens.length)
  return contexts.map((context, t) =>
    context === undefined || seen.add([...context, tokens[t]!]) ? undefined : context,
  )
}

/** Scores each pair of context and token once, with `contexts: 'pairs'`. The rule marks and scores repeated contexts. */
export const counting = (counted: Counted, detector: Detector): Detector =>
  counted !== 'pairs'
    ? detector
    : {
        ...detector,
        id: 'pairs',
        test: (evidence) => detector.test({ ...evidence, contexts: firstPairs(evidence) }),
      }

/**
 * A sum detector whose contexts are the seeds that codes name by `seedOf`. With 'published' every position counts; else each pair of context and token
 * once, and each pair of seed and token once.
 */
export const bySeed = (counted: Counted, detector: Detector): Detector => ({
  ...detector,
  id: 'seeds',
  test(evidence) {
    const { tokens, rule, codeOf } = evidence
    if (codeOf === undefined) return counting(counted, detector).test(evidence)
    const seeds = evidence.contexts.map((context, t) => {
      const seed = context && (codeOf(context, 0) as SeededCode).seedOf?.(tokens[t]!)
      return seed === undefined ? undefined : [seed]
    })
    const contexts = counted === 'published' ? seeds : firstPairs({ tokens, contexts: seeds })
    return detector.test({ ...evidence, contexts, rule: { ...rule, recurs: true } })
  },
})
