import { requireOptions } from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import type { ContextSet } from '../keys/excluded.ts'
import type { Tokens } from '../keys/rule.ts'
import type { SecretKey } from '../keys/schedule.ts'
import { type EProcess, eProcess } from './e-process.ts'
import { freshScores } from './fresh-scores.ts'
import { messageStream, type StreamedMessage } from './message-stream.ts'

export interface StreamOptions {
  /** The secret key: text (UTF-8) or bytes. Codes of engines also take integers, and those of TGI need none. */
  readonly key?: SecretKey
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** Ids that are never scored: special tokens. */
  readonly skip?: Iterable<number>
  /** Contexts whose tokens are not scored, as `contextSet` collects them. */
  readonly excludeContexts?: ContextSet
  /** The tokens before the text, for rules whose contexts reach into them. Without it the first positions are not scored. */
  readonly prompt?: Tokens
}

/** The evidence after a token; with a watermark `withMessage`, the message so far too. */
export interface StreamedEvidence extends Partial<StreamedMessage> {
  /** Valid at any moment, however it was chosen: P(some p-value of the stream <= a) <= a for every a. It never rises. */
  readonly pValue: number
  /** Natural log of the p-value, finite where it underflows. */
  readonly logPValue: number
  /** The wealth of a gambler who started with 1 and has bet on every score: at any stopping time its mean is at most 1. See `combine`. */
  readonly eValue: number
  /** Natural log of the e-value. */
  readonly logEValue: number
  /** The number of tokens that were bet on. */
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
 * If the watermark carries a message (`withMessage`), the p-value is for a mark of any message, and the message is read as it comes.
 *
 * Memory: the end of the text, where the context rule says how much of it matters (`lookback`), and the exact set of contexts that were seen, about 80
 * bytes for each. That set is bounded by the vocabulary under `fixed()`, and grows with the text under `ngram`: a forgotten context would count twice.
 * @example
 * const text = stream(gumbel(), { key: 'a secret of sixteen bytes', vocabSize: 50257 })
 * for (const token of [464, 3290, 318]) text.push(token)
 * text.push(845).scored // 2: the first two tokens have no context
 */
export function stream<Code>(watermark: Watermark<Code>, options: StreamOptions): TokenStream {
  requireOptions('stream', options, ['key', 'vocabSize', 'skip', 'prompt', 'excludeContexts'])
  requireWatermark(watermark)
  const { take, wealth } =
    watermark.messages === undefined ? plainStream(watermark, options) : streamOfMessages(watermark, options)
  let scored = 0
  return {
    push(token) {
      if (take(token)) scored++
      const { logWealth: logEValue, logLargest, message } = wealth
      const logPValue = 0 - logLargest
      const evidence = {
        pValue: Math.exp(logPValue),
        logPValue,
        eValue: Math.exp(logEValue),
        logEValue,
        scored,
      }
      return message === undefined ? evidence : { ...evidence, ...message }
    },
  }
}

/** Takes tokens; returns whether one was scored. */
interface Wealthy {
  take(token: number): boolean
  readonly wealth: Pick<EProcess, 'logWealth' | 'logLargest'> & { readonly message?: StreamedMessage }
}

function plainStream<Code>(watermark: Watermark<Code>, options: StreamOptions): Wealthy {
  const scores = freshScores(watermark, options)
  const wealth = eProcess(scores.law)
  const take = (token: number): boolean => {
    const score = scores.next(token)
    if (score !== undefined) wealth.add(score)
    return score !== undefined
  }
  return { take, wealth }
}

function streamOfMessages<Code>(watermark: Watermark<Code>, options: StreamOptions): Wealthy {
  const wealth = messageStream(watermark, options)
  return { take: (token) => wealth.push(token), wealth }
}
