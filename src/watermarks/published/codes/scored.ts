/** The positions of a text that count. */

import type { ContextRule } from '../../../core/keys/index.ts'
import { ngram } from '../../../core/keys/index.ts'
import { type AnyValues, parameter } from '../../../core/method/index.ts'

/**
 * The option `contexts` of published codes: 'once' marks and scores each context once, which keeps whole texts unbiased; 'published'
 * marks and scores the positions that the published implementation does, repeated contexts included. The p-value holds either way: equal
 * pairs of context and token count as the one score that they are.
 */
export const contextsOption = parameter.oneOf(['once', 'published'], {
  about:
    "Which positions are marked and scored: each context 'once', or those of the 'published' implementation, repeated contexts included. The p-value holds either way.",
})

/** The same with 'pairs': each different pair of context and token once, as detectors do that count distinct n-grams. */
export const pairsOption = parameter.oneOf(['once', 'published', 'pairs'], {
  about:
    "Which positions are marked and scored: each context 'once'; those of the 'published' implementation, repeated contexts included; or, marked like those, each pair of context and token once ('pairs'). The p-value holds in all cases.",
})

/** The MCmark repository takes the last two tokens, fewer at the start of a text, at every position. */
export const mcmarkContexts = ({ contexts }: AnyValues): ContextRule =>
  contexts === 'published' ? ngram(2, { repeated: 'reuse', short: true }) : ngram(2)
