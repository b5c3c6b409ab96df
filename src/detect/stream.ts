import { integer, outOfRange } from '../input.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import { Expansion, MAX_VOCAB } from '../keys/random.ts'
import type { ContextRule } from '../keys/rule.ts'
import { type Context, keySchedule } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { codeAt, type Watermark } from '../watermark.ts'
import { eProcess } from './e-process.ts'
import { lawFor } from './null-laws.ts'

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
  /** Valid at any moment, however it was chosen: P(some pValue of the stream <= a) <= a for every a. */
  readonly pValue: number
  /** Natural log of the p-value, finite where it underflows. */
  readonly logPValue: number
  /** The gambler's wealth now: E-values of independent streams multiply. */
  readonly eValue: number
  /** Natural log of the e-value. */
  readonly logEValue: number
  /** How many tokens were bet on. */
  readonly scored: number
}

export interface TokenStream {
  /** Takes the next token of the text. */
  push(token: number): StreamedEvidence
}

/** The context of each new position: from the rule where it can follow a text, else from the whole text so far. */
function contextsOf(rule: ContextRule, skip: (token: number) => boolean) {
  const follow = rule.follow?.(skip)
  return (tokens: readonly number[]): Context | undefined =>
    follow === undefined ? rule.scored(tokens, skip).at(-1) : follow(tokens, tokens.length - 1)
}

/**
 * Detects a text while it is being written, with a p-value that holds at any stopping time. Each pair of context and token is bet on at its first
 * occurrence (each context, where the scores of two tokens under one context may depend on each other).
 * @example
 * const text = stream(gumbel(), { key: 'secret', vocabSize: 50257 })
 * for (const token of [464, 3290, 318, 845]) console.log(text.push(token).pValue)
 */
export function stream<Code>(watermark: Watermark<Code>, options: StreamOptions): TokenStream {
  const vocabSize = integer('vocabSize', options?.vocabSize, 1, MAX_VOCAB)
  const { detector, context: rule } = watermark
  if (detector?.id !== 'sum' || detector.nullLaw === undefined)
    throw outOfRange('watermark', 'one whose detector is a sumDetector', watermark.id)
  const law = lawFor(detector.nullLaw, vocabSize)
  const skipped = new Set(options.skip)
  const contextOf = contextsOf(rule, (token) => skipped.has(token))
  const schedule = keySchedule(options.key, watermark.domain)
  const random = new Expansion()
  const seen = new ContextMemory()
  const wealth = eProcess(law)
  const tokens: number[] = []
  let scored = 0
  const isNew = (context: Context, token: number): boolean =>
    !rule.recurs || !seen.add(law.logTailOfCounts === undefined ? context : [...context, token])
  return {
    push(token) {
      checkTokens([token], vocabSize, `token ${tokens.length}`)
      tokens.push(token)
      const context = contextOf(tokens)
      if (context !== undefined && isNew(context, token)) {
        const code = codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
        wealth.add(watermark.score(token, code))
        scored++
      }
      const { logWealth: logEValue, logLargest } = wealth
      const logPValue = -logLargest
      return { pValue: Math.exp(logPValue), logPValue, eValue: Math.exp(logEValue), logEValue, scored }
    },
  }
}
