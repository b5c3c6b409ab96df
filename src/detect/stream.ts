import { requireOptions } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { eProcess } from './e-process.ts'
import { freshScores } from './fresh-scores.ts'

export interface StreamOptions {
  /** The secret key: text (UTF-8) or bytes. */
  readonly key: string | Uint8Array
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** Ids that are never scored: special tokens. */
  readonly skip?: Iterable<number>
}

/** What is known after a token. */
export interface StreamedEvidence {
  /** Valid at any moment, however it was chosen: P(some p-value of the stream <= a) <= a for every a. It never rises. */
  readonly pValue: number
  /** Natural log of the p-value, finite where it underflows. */
  readonly logPValue: number
  /** The wealth of a gambler who started with 1 and has bet on every score: at any stopping time its mean is at most 1. See `combine`. */
  readonly eValue: number
  /** Natural log of the e-value. */
  readonly logEValue: number
  /** How many tokens were bet on. */
  readonly scored: number
}

/** A text that is being read. */
export interface TokenStream {
  /** Takes the next token of the text. */
  push(token: number): StreamedEvidence
}

/**
 * Detects a watermark while the text is being written, with a p-value that is valid at any stopping time: look after every token and stop
 * when it is small enough. Each pair of context and token counts once, at its first occurrence. The watermark needs a sum detector.
 * @example
 * const text = stream(gumbel(), { key: 'a secret of sixteen bytes', vocabSize: 50257 })
 * for (const token of [464, 3290, 318]) text.push(token)
 * text.push(845).scored // 2: the first two tokens have no context
 */
export function stream<Code>(watermark: Watermark<Code>, options: StreamOptions): TokenStream {
  requireOptions('stream', options, ['key', 'vocabSize', 'skip'])
  const scores = freshScores(watermark, options)
  const wealth = eProcess(scores.law)
  let scored = 0
  return {
    push(token) {
      const score = scores.next(token)
      if (score !== undefined) {
        wealth.add(score)
        scored++
      }
      const { logWealth: logEValue, logLargest } = wealth
      const logPValue = 0 - logLargest
      return { pValue: Math.exp(logPValue), logPValue, eValue: Math.exp(logEValue), logEValue, scored }
    },
  }
}
