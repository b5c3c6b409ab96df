import { integer, number, outOfRange, requireOptions } from '../input.ts'
import { seededRandom } from '../keys/stream.ts'
import type { LanguageModel } from '../models/language-model.ts'
import { requireModel } from '../models/prompt.ts'
import { type Sampling, warper } from '../models/warp.ts'
import type { Attack, AttackOptions } from './attack.ts'
import { evenly, separateSpans } from './positions.ts'
import { fitting, type Rewriting, rewriting } from './regenerate.ts'

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
 * Spans of the text, written anew by a model without the watermark.
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
  integer('batchSize', batchSize, 1)
  if (model.kind !== 'causal') throw outOfRange('model', 'a causal language model', model.kind)
  const warp = warper(sampling) // checks the values before the id shows them
  const changed = Object.entries(sampling).map(([name, value]) => `,${name}=${value}`)
  const id = `rewrite(strength=${strength},span=${span}${changed.sort().join('')})`

  return rewriting({
    id,
    model,
    warp,
    batchSize,
    plan: (text, given) => plan(model, text, given, strength, span, id),
  })
}

function plan(
  model: LanguageModel,
  text: ArrayLike<number>,
  { seed, prompt = [], exclude = [] }: AttackOptions,
  strength: number,
  span: number,
  id: string,
): Rewriting {
  const stream = seededRandom(seed, 'attack', id)
  const count = Math.round(strength * text.length)
  const spans = separateSpans(stream, evenly(count, Math.ceil(count / span)), text.length)
  const masked = new Set(
    spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
  )
  const banned = new Set([...model.endTokens, ...exclude])
  return {
    context: fitting(model, prompt, text.length),
    tokens: Array.from(text),
    masked,
    stream,
    restrict(p) {
      for (const token of banned) if (token < p.length) p[token] = 0
    },
    at: spans[0]?.start ?? 0,
    end: spans.at(-1)?.end ?? 0,
  }
}
