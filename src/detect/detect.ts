import { integer, number, outOfRange, wrongType } from '../input.ts'
import { Expansion, MAX_VOCAB } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { type Context, type KeySchedule, keySchedule } from '../keys/schedule.ts'
import type { Watermark } from '../watermark.ts'
import type { Evidence, Outcome } from './detector.ts'

export interface DetectOptions {
  /** The secret key: text (UTF-8) or bytes. */
  readonly key: string | Uint8Array
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** The level of the decision `detected`; permutation tests choose their runs by it. Default 0.01. */
  readonly alpha?: number
  /** Ids that are never scored: special tokens. */
  readonly skip?: Iterable<number>
  /** The text ends before the first of this token. */
  readonly end?: number
  /** Runs of a permutation test; by default enough for `alpha`. */
  readonly runs?: number
}

export interface Detection extends Outcome {
  /** Guaranteed: P(pValue <= a) <= a for every a when the text does not depend on the key. */
  readonly pValue: number
  /** Whether pValue <= alpha. */
  readonly detected: boolean
}

/** Token ids, checked: whole numbers in [0, vocabSize). */
export function checkTokens(tokens: unknown, vocabSize: number): asserts tokens is Tokens {
  if (tokens === null || typeof tokens !== 'object' || typeof (tokens as Tokens).length !== 'number')
    throw wrongType('tokens', 'a list of token ids', tokens)
  const list = tokens as Tokens
  for (let i = 0; i < list.length; i++) {
    const id: unknown = list[i]
    if (typeof id !== 'number')
      throw wrongType(`tokens[${i}]`, `a number (convert bigint ids with Number)`, id)
    if (!Number.isInteger(id) || id < 0 || id >= vocabSize)
      throw outOfRange(`tokens[${i}]`, `a token id in [0, ${vocabSize}), the width of the model's logits`, id)
  }
}

/** The scores of a watermark under a key, and under the independent keys of permutation runs. */
function scorer<Code>(
  watermark: Watermark<Code>,
  key: string | Uint8Array,
  vocabSize: number,
): Pick<Evidence, 'score' | 'scores'> {
  const schedules = new Map<number, KeySchedule>([[0, keySchedule(key, watermark.domain)]])
  const random = new Expansion()
  const codeOf = (context: Context, run: number): Code => {
    let schedule = schedules.get(run)
    if (schedule === undefined) {
      schedule = keySchedule(key, watermark.domain, run)
      schedules.set(run, schedule)
    }
    const { shared, key: secret } = schedule
    return watermark.draw(schedule.random(context, random), vocabSize, { shared, context, key: secret })
  }
  return {
    score: (token, context, run = 0) => watermark.score(token, codeOf(context, run)),
    scores(tokens, context, run, out) {
      const code = codeOf(context, run)
      for (let i = 0; i < tokens.length; i++) out[i] = watermark.score(tokens[i]!, code)
      return out
    },
  }
}

function cut(tokens: Tokens, end: number | undefined): Tokens {
  if (end === undefined) return tokens
  const at = Array.prototype.indexOf.call(tokens, end)
  return at < 0 ? tokens : Array.prototype.slice.call(tokens, 0, at)
}

/**
 * Tests whether a text carries a watermark under a key. Deterministic. Too few tokens to score is no error: the p-value is 1.
 * @example
 * const d = detect(gumbel(), tokens, { key: 'secret', vocabSize: 50257 })
 * d.pValue // at most a with probability at most a, if the text was written without the key
 */
export function detect<Code>(watermark: Watermark<Code>, tokens: Tokens, options: DetectOptions): Detection {
  const vocabSize = integer('vocabSize', options?.vocabSize, 1, MAX_VOCAB)
  const alpha = number('alpha', options.alpha ?? 0.01, 0, 1, true)
  if (options.runs !== undefined) integer('runs', options.runs, 1)
  checkTokens(tokens, vocabSize)
  if (watermark.detector === undefined)
    throw new TypeError(`${watermark.id}: this watermark declares no detector`)
  const skipped = new Set(options.skip)
  const text = cut(tokens, options.end)
  const outcome = watermark.detector.test({
    tokens: text,
    vocabSize,
    alpha,
    runs: options.runs,
    rule: watermark.context,
    contexts: watermark.context.scored(text, (token) => skipped.has(token)),
    ...scorer(watermark, options.key, vocabSize),
  })
  const pValue = Math.exp(outcome.logPValue)
  return { ...outcome, pValue, detected: outcome.logPValue <= Math.log(alpha) }
}
