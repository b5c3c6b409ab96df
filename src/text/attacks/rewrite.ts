import { integer, number, requireOptions } from '../../input.ts'
import type { LanguageModel } from '../decode/language-model.ts'
import { requireModel } from '../decode/prompt.ts'
import type { Sampling } from '../decode/warp.ts'
import type { Attack } from './attack.ts'
import { evenly, separateSpans } from './positions.ts'
import { rewriting } from './regenerate.ts'

/**
 * LM rewrite: spans of the text are masked and written anew by the unwatermarked model, an attacker's paraphrase for a machine without a
 * paraphraser. Of n tokens, round(strength n) are regenerated, in separate spans of about `span` tokens at random places. A
 * span keeps its length and is written from left to right given the prompt and all that stands before it, already rewritten; what
 * follows the span is not seen. The model may choose a token that stood there before, so the distance is usually below the number of
 * regenerated tokens. End tokens and excluded ids are not drawn.
 */
export interface RewriteOptions extends Sampling {
  /** Share of the tokens that are regenerated. */
  readonly strength: number
  /** Length of a masked span, in tokens; spans share the count evenly, so they may be a little shorter. Default 10. */
  readonly span?: number
  /** Texts rewritten side by side. Default 16. */
  readonly batchSize?: number
}

/**
 * Has a model without the watermark write spans of the text anew.
 * @example
 * const model = markovModel({ vocabSize: 50 })
 * const tokens = Array.from({ length: 50 }, (_, t) => t)
 * const { distance } = await rewrite(model, { strength: 0.4 }).apply(tokens, { seed: 1, vocabSize: 50 })
 * distance <= 20 // true: 40% are regenerated, and some come out as they were
 */
export function rewrite(
  model: LanguageModel,
  options: RewriteOptions,
): Attack & Required<Pick<Attack, 'applyAll'>> {
  requireModel(model)
  requireOptions('rewrite', options, ['strength', 'span', 'batchSize', 'temperature', 'topK', 'topP'])
  const { strength, span = 10, batchSize = 16, ...sampling } = options
  number('strength', strength, 0, 1)
  integer('span', span, 1)
  return rewriting({
    model,
    id: `rewrite(strength=${strength},span=${span}`,
    sampling,
    batchSize,
    mask({ length }, stream) {
      const count = Math.round(strength * length)
      const spans = separateSpans(stream, evenly(count, Math.ceil(count / span)), length)
      const positions = spans.flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, i) => start + i),
      )
      return { masked: new Set(positions) }
    },
  })
}
