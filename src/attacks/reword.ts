import { integer, number, outOfRange, requireOptions } from '../input.ts'
import { seededRandom } from '../keys/stream.ts'
import type { LanguageModel, Tokenizer } from '../models/language-model.ts'
import { requireModel } from '../models/prompt.ts'
import { type Sampling, warper } from '../models/warp.ts'
import type { Attack, AttackOptions } from './attack.ts'
import { fitting, type Rewriting, rewriting } from './regenerate.ts'
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

/** Where each token ends in the decoded text. */
function ends(tokenizer: Tokenizer, tokens: readonly number[]): number[] {
  return tokens.map((_, i) => tokenizer.decode(tokens.slice(0, i + 1)).length)
}

/** Whether a token is a whole function word or punctuation inside a sentence. */
const isConnecting = (piece: string): boolean =>
  /^[,;:-]$/.test(piece.trim()) || (/^\s/.test(piece) && FUNCTION_WORDS.has(piece.trim().toLowerCase()))

/** Takes the mass from all tokens but these. */
function keepOnly(p: Float64Array, tokens: Int32Array): void {
  const masses = Float64Array.from(tokens, (token) => p[token]!)
  p.fill(0)
  for (let i = 0; i < tokens.length; i++) p[tokens[i]!] = masses[i]!
}

/** The tokens that may stand between content words: decoded after a letter, so that a space in front shows. */
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

/** What becomes of each token. */
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
  integer('batchSize', batchSize, 1)
  if (model.kind !== 'causal') throw outOfRange('model', 'a causal language model', model.kind)
  const warp = warper(sampling) // checks the values before the id shows them
  const changed = Object.entries(sampling).map(([name, value]) => `,${name}=${value}`)
  const id = `reword(keep=${keep}${changed.sort().join('')})`
  let allowed: Int32Array | undefined

  function plan(text: ArrayLike<number>, { seed, prompt = [], exclude = [] }: AttackOptions): Rewriting {
    allowed ??= connecting(model)
    const small = allowed
    const tokens = Array.from(text)
    const stream = seededRandom(seed, 'attack', id)
    const places = ends(model.tokenizer, tokens)
    const fate = fates(model.tokenizer.decode(tokens), places, () => stream.uniform() < keep)
    const masked = new Set([...tokens.keys()].filter((i) => fate[i] !== 'stays'))
    const banned = new Set([...model.endTokens, ...exclude])
    const [first = 0] = masked
    return {
      context: fitting(model, prompt, text.length),
      tokens,
      masked,
      stream,
      restrict(p, at) {
        p[tokens[at]!] = 0
        for (const token of banned) if (token < p.length) p[token] = 0
        if (fate[at] === 'connects') keepOnly(p, small)
      },
      at: first,
      end: masked.size === 0 ? 0 : Math.max(...masked) + 1,
    }
  }

  return rewriting({ id, model, warp, batchSize, plan })
}
