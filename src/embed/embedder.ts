import { integer, wrongType } from '../input.ts'
import { Expansion, MAX_VOCAB, type Random } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { keySchedule } from '../keys/schedule.ts'
import { labelSeed } from '../keys/stream.ts'
import { codeAt, type Watermark } from '../watermark.ts'
import { checkDistribution } from './distribution.ts'

export interface EmbedderOptions {
  /** The secret key: text (UTF-8) or bytes. */
  readonly key: string | Uint8Array
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** The text's own randomness, such as the offset into a key list. Default: fresh. */
  readonly seed?: number | string
  /** Check every p (a pass over the vocabulary). Default true; a decode loop that made p itself may leave it out. */
  readonly check?: boolean
}

/** Watermarks one text, step by step. */
export interface Embedder {
  /**
   * Writes q, the distribution to sample the next token from, and returns true; or returns false where the context rule says
   * to sample from p itself (q is then a copy of p). Ask once per position.
   * @param tokens the text so far: prompt and generated tokens
   */
  reweight(tokens: Tokens, p: Float64Array, q: Float64Array): boolean
  /** Tells which token was sampled and its probability under the model. */
  drew(token: number, probability: number): void
}

function ownRandom(seed: number | string | undefined): Random {
  return new Expansion(
    seed === undefined ? crypto.getRandomValues(new Uint32Array(4)) : labelSeed('text', seed),
  )
}

/**
 * Watermarks one text, with any model. Make one per text.
 * @example
 * const text = embedder(gumbel(), { key: 'secret', vocabSize: 4, seed: 1 })
 * const [p, q] = [Float64Array.of(0.4, 0.3, 0.2, 0.1), new Float64Array(4)]
 * text.reweight([2, 0], p, q) // true: sample the next token from q, not from p
 * const token = q.indexOf(1) // gumbel leaves one token
 * text.drew(token, p[token])
 */
export function embedder<Code>(watermark: Watermark<Code>, options: EmbedderOptions): Embedder {
  const vocabSize = integer('vocabSize', options?.vocabSize, 1, MAX_VOCAB)
  const schedule = keySchedule(options.key, watermark.domain)
  const cursor = watermark.context.begin(ownRandom(options.seed))
  const check = options.check ?? true
  const random = new Expansion()
  return {
    reweight(tokens, p, q) {
      if (check) {
        checkDistribution('p', p, vocabSize)
        if (!(q instanceof Float64Array) || q.length !== vocabSize || q === p)
          throw wrongType('q', `a Float64Array of length ${vocabSize} other than p`, q)
      }
      const context = cursor.next(tokens)
      if (context === undefined) {
        q.set(p)
        return false
      }
      const code = codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
      watermark.reweight(p, code, q)
      return true
    },
    drew: (token, probability) => cursor.drew?.(token, probability),
  }
}
