import { boolean, integer, number, outOfRange, requireOptions, wrongType } from '../../input.ts'
import { codeAt, requireWatermark, type Watermark } from '../../watermark.ts'
import type { Message } from '../keys/message.ts'
import { Expansion, MAX_VOCAB, type Random } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { keySchedule, type SecretKey, secretOf } from '../keys/schedule.ts'
import { warnOfShortKey } from '../keys/short-key.ts'
import { checkSeed, labelSeed } from '../keys/stream.ts'
import { checkTokens } from '../keys/tokens.ts'
import { checkDistribution, SLACK } from './distribution.ts'
import { targetLaw } from './target.ts'

export interface EmbedderOptions {
  /** The secret key: text (UTF-8) or bytes. Codes of engines also take integers, and those of TGI need none. */
  readonly key?: SecretKey
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** The tokens before the text. Then `reweight` is given the tokens of the text alone; without it, prompt and text. */
  readonly prompt?: Tokens
  /** The message, for a watermark made by `withMessage`. Default: zeros. */
  readonly message?: Message
  /** The text's own randomness, such as the offset into a key list. Default: fresh. */
  readonly seed?: number | string
  /** Check tokens, p and q (a pass over the vocabulary). Default true; a decode loop that made them itself may leave it out. */
  readonly check?: boolean
}

/** Watermarks one text, step by step. */
export interface Embedder {
  /**
   * Writes q, the distribution to sample the next token from, and returns true; or returns false where the context rule says
   * to sample from p itself (q is then a copy of p). With a `target` q is always the one to sample from. Ask once per position.
   * @param tokens the text so far: prompt and generated tokens, or these alone where the option `prompt` has the others
   */
  reweight(tokens: Tokens, p: Float64Array, q: Float64Array): boolean
  /**
   * Tells which token was sampled and its probability under the model, p[token]. Rules that wait for entropy need the
   * probability (`prefix`), others ignore it.
   */
  drew(token: number, probability: number): void
}

/** Returns whether two arrays share memory. */
const overlap = (a: Float64Array, b: Float64Array): boolean =>
  a.buffer === b.buffer &&
  a.byteOffset < b.byteOffset + b.byteLength &&
  b.byteOffset < a.byteOffset + a.byteLength

function ownRandom(seed: number | string | undefined): Random {
  return new Expansion(
    seed === undefined ? crypto.getRandomValues(new Uint32Array(4)) : labelSeed('text', seed),
  )
}

/** Joins a prompt and a text. */
const after = (prompt: Tokens, tokens: Tokens): Tokens => Array.from(prompt).concat(Array.from(tokens))

/** Returns the watermark of one message. */
function carrying<Code>({ id, messages }: Watermark<Code>, message: Message): Watermark<Code> {
  if (messages !== undefined) return messages.of(message)
  throw outOfRange(
    'message',
    `none for ${id}; make a watermark that carries one: withMessage(watermark, { bits: 64 })`,
    message,
  )
}

/**
 * Watermarks one text, with any model. Make one per text.
 * @example
 * const text = embedder(gumbel(), { key: 'a long secret key', vocabSize: 4, seed: 1 })
 * const [p, q] = [Float64Array.of(0.4, 0.3, 0.2, 0.1), new Float64Array(4)]
 * text.reweight([2, 0], p, q) // true: sample the next token from q, not from p
 * const token = q.indexOf(1) // gumbel leaves one token
 * text.drew(token, p[token])
 */
export function embedder<Code>(given: Watermark<Code>, options: EmbedderOptions): Embedder {
  requireWatermark(given)
  requireOptions('embedder', options, ['key', 'vocabSize', 'prompt', 'message', 'seed', 'check'])
  const { seed, check = true, message, prompt } = options
  const watermark = message === undefined ? given : carrying(given, message)
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  boolean('check', check)
  if (prompt !== undefined) checkTokens(prompt, vocabSize, 'prompt')
  if (seed !== undefined) checkSeed(seed)
  const secret = secretOf(watermark, options.key)
  const schedule = keySchedule(secret, watermark.domain)
  if (!watermark.needsKey) warnOfShortKey(secret)
  const cursor = watermark.context.begin(ownRandom(seed))
  const random = new Expansion()
  /** The number of tokens of the text that were checked before. */
  let known = 0
  const checkStep = (tokens: Tokens, p: Float64Array, q: Float64Array): void => {
    checkTokens(tokens, vocabSize, 'tokens', known > 0 && tokens?.length >= known ? known : 0)
    known = tokens.length
    checkDistribution('p', p, vocabSize)
    if (!(q instanceof Float64Array) || q.length !== vocabSize)
      throw wrongType('q', `a Float64Array of length ${vocabSize}`, q)
    if (overlap(p, q)) throw outOfRange('q', 'an array that shares no memory with p', 'one that does')
  }
  return {
    reweight(tokens, p, q) {
      if (check) checkStep(tokens, p, q)
      const context = cursor.next(prompt === undefined ? tokens : after(prompt, tokens))
      if (context === undefined) {
        q.set(targetLaw(watermark, p))
        return watermark.target !== undefined
      }
      const code = codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
      watermark.reweight(p, code, q)
      return true
    },
    drew(token, probability) {
      integer('token', token, 0, vocabSize - 1)
      if (cursor.drew === undefined) return
      // a float32 softmax may give a little more than 1
      const drawn = number('probability', probability, 0, 1 + SLACK)
      if (drawn === 0) throw outOfRange('probability', 'a number in (0, 1]: the token was drawn', drawn)
      cursor.drew(token, Math.min(1, drawn))
    },
  }
}
