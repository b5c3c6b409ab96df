import { number, requireOptions } from '../../input.ts'
import type { LanguageModel, Tokenizer } from '../decode/language-model.ts'
import { requireModel } from '../decode/prompt.ts'
import type { Sampling } from '../decode/warp.ts'
import type { Attack } from './attack.ts'
import { rewriting } from './regenerate.ts'
import { FUNCTION_WORDS, isContent, WORD } from './words.ts'

/**
 * Rewording: content words stay, the words between them change. What LM rewriting does not do (it leaves spans as they are and loses
 * the content of the others) and a paraphraser does: few n-grams are left, most of the meaning is.
 *
 * From left to right, every token that is not part of a kept content word is drawn anew by the unwatermarked model, given the prompt
 * and all that stands before it, already reworded: never the token that was there; where a function word or a comma was, only a
 * function word or punctuation. A share 1 - `keep` of the content words is drawn anew as well, from the whole vocabulary. Ends of
 * sentences stay. The model does not see what follows, so the result is less fluent than a paraphraser's.
 */
export interface RewordOptions extends Sampling {
  /** Share of the content words that stay. Default 0.8. */
  readonly keep?: number
  /** Texts reworded side by side. Default 16. */
  readonly batchSize?: number
}

/** Returns the position in the decoded text at which each token ends. */
function ends(tokenizer: Tokenizer, tokens: readonly number[]): number[] {
  return tokens.map((_, i) => tokenizer.decode(tokens.slice(0, i + 1)).length)
}

/** Tells whether a token is a whole function word or punctuation inside a sentence. */
const isConnecting = (piece: string): boolean =>
  /^[,;:-]$/.test(piece.trim()) || (/^\s/.test(piece) && FUNCTION_WORDS.has(piece.trim().toLowerCase()))

/** Takes the mass from all tokens but these. */
function keepOnly(p: Float64Array, tokens: Int32Array): void {
  const masses = Float64Array.from(tokens, (token) => p[token]!)
  p.fill(0)
  for (let i = 0; i < tokens.length; i++) p[tokens[i]!] = masses[i]!
}

/** Returns the tokens that may stand between content words: decoded after a letter, so that a space in front shows. */
function connecting(model: LanguageModel): Int32Array {
  const { tokenizer, vocabSize, endTokens } = model
  const [letter = 0] = tokenizer.encode('a')
  const before = tokenizer.decode([letter])
  const found: number[] = []
  for (let token = 0; token < vocabSize; token++)
    if (!endTokens.includes(token) && isConnecting(tokenizer.decode([letter, token]).slice(before.length)))
      found.push(token)
  return Int32Array.from(found)
}

type Fate = 'stays' | 'connects' | 'anew'

/** Decides for each token whether it stays, connects content words or is drawn anew. */
function fates(text: string, ends: readonly number[], isKept: () => boolean): Fate[] {
  const found = ends.map((end, i): Fate => {
    const piece = text.slice(ends[i - 1] ?? 0, end)
    return /[.!?"'“”\n\d]/.test(piece) ? 'stays' : 'connects'
  })
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    if (!isContent(word)) continue
    const fate: Fate = isKept() ? 'stays' : 'anew'
    for (let i = 0; i < ends.length; i++)
      if (ends[i]! > start && (ends[i - 1] ?? 0) < start + word.length) found[i] = fate
  }
  return found
}

/**
 * Keeps content words and has a model without the watermark change the rest.
 * @example
 * const model = await embeddedModel()
 * const tokens = model.tokenizer.encode('The king went to the city, and the people came to him.')
 * const { tokens: reworded } = await reword(model).apply(tokens, { seed: 1, vocabSize: model.vocabSize })
 * survivingNgrams(tokens, reworded) < 0.5 // true
 * await model.dispose()
 */
export function reword(
  model: LanguageModel,
  options: RewordOptions = {},
): Attack & Required<Pick<Attack, 'applyAll'>> {
  requireModel(model)
  requireOptions('reword', options, ['keep', 'batchSize', 'temperature', 'topK', 'topP'])
  const { keep = 0.8, batchSize = 16, ...sampling } = options
  number('keep', keep, 0, 1)
  let allowed: Int32Array | undefined
  return rewriting({
    model,
    id: `reword(keep=${keep}`,
    sampling,
    batchSize,
    mask(tokens, stream) {
      allowed ??= connecting(model)
      const small = allowed
      const places = ends(model.tokenizer, tokens)
      const fate = fates(model.tokenizer.decode(tokens), places, () => stream.uniform() < keep)
      return {
        masked: new Set([...tokens.keys()].filter((i) => fate[i] !== 'stays')),
        restrict(p, at) {
          p[tokens[at]!] = 0
          if (fate[at] === 'connects') keepOnly(p, small)
        },
      }
    },
  })
}
