import { integer, iterable, number, outOfRange, requireOptions } from '../input.ts'
import { Expansion, MAX_VOCAB } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { type Context, type KeySchedule, keyBytes, keySchedule } from '../keys/schedule.ts'
import { warnOfShortKey } from '../keys/short-key.ts'
import { checkTokens } from '../keys/tokens.ts'
import { codeAt, type ManyScores, requireWatermark, type Watermark } from '../watermark.ts'
import type { Detector, Outcome } from './detector.ts'

/** The most runs of a permutation test: each takes as long as detection itself. */
const MAX_RUNS = 1_000_000

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

/** What `detect` found in a text. */
export interface Detection extends Outcome {
  /** P(pValue <= a) <= a for every a when the text does not depend on the key; see `guaranteed`. */
  readonly pValue: number
  /** Whether that is promised. False only for detectors that say so: p-values as published code prints them. */
  readonly guaranteed: boolean
  /** Whether pValue <= alpha. */
  readonly detected: boolean
}

/** The codes of a watermark under a key, and under the independent keys of permutation runs. */
function coder<Code>(watermark: Watermark<Code>, key: string | Uint8Array, vocabSize: number) {
  const schedules = new Map<number, KeySchedule>()
  const random = new Expansion()
  const secret = keyBytes(key)
  const scheduleOf = (run: number): KeySchedule => {
    let schedule = schedules.get(run)
    if (schedule === undefined) {
      schedule = keySchedule(secret, watermark.domain, run)
      schedules.set(run, schedule)
    }
    return schedule
  }
  return {
    // one randomness for all positions: a code is used before the next one is drawn
    codeOf(context: Context, run: number): Code {
      const schedule = scheduleOf(run)
      return codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
    },
    /** Draws the code of any of these contexts, all different, under the key. */
    codesOf(contexts: readonly Context[]): (i: number) => Code {
      const schedule = scheduleOf(0)
      const keys = schedule.roundKeys(contexts)
      return (i) => {
        random.rekey(keys, 4 * i)
        return codeAt(watermark, schedule, vocabSize, contexts[i]!, random)
      }
    },
    /** The score of each token whose context is there, NaN elsewhere. */
    scoreEach(tokens: Tokens, contexts: readonly (Context | undefined)[]): Float64Array {
      const out = new Float64Array(tokens.length)
      const schedule = scheduleOf(0)
      const keys = schedule.roundKeys(contexts)
      let at = 0
      let last: Context | undefined
      let code: Code
      for (let t = 0; t < tokens.length; t++) {
        const context = contexts[t]
        if (context === undefined) {
          out[t] = Number.NaN
          continue
        }
        if (context !== last) {
          random.rekey(keys, at)
          at += 4
          code = codeAt(watermark, schedule, vocabSize, context, random)
          last = context
        }
        out[t] = watermark.score(tokens[t]!, code!)
      }
      return out
    },
  }
}

/** Ids that are never scored. They need not be in the vocabulary: tokenizers have ids beyond the width of the logits. */
export function skipping(skip: unknown): (token: number) => boolean {
  if (skip === undefined) return () => false
  const ids = new Set<number>()
  for (const id of iterable('skip', skip, 'token ids that can be iterated, such as an array or a Set')) {
    ids.add(integer(`skip[${ids.size}]`, id, 0))
  }
  return ids.size === 0 ? () => false : (token) => ids.has(token)
}

export function cut(tokens: Tokens, end: number | undefined): Tokens {
  if (end === undefined) return tokens
  const at = Array.prototype.indexOf.call(tokens, end)
  return at < 0 ? tokens : Array.prototype.slice.call(tokens, 0, at)
}

/** A detector that says nonsense is an error, not a p-value. */
function checkOutcome({ statistic, logPValue, perToken }: Outcome, { id, bound }: Detector): void {
  if (!(logPValue <= 0)) throw outOfRange(`${id} detector: logPValue`, 'at most 0', logPValue)
  if (Number.isNaN(statistic)) throw outOfRange(`${id} detector: statistic`, 'a number', statistic)
  for (let t = 0; t < perToken.length; t++)
    if (perToken[t]! < 0 || perToken[t]! > bound)
      throw outOfRange(`score at ${t}`, `a number in [0, ${bound}], as declared`, perToken[t])
}

/** The test of a text; `name` is what errors call it. */
export type Test = (tokens: Tokens, name?: string) => Detection

/** The test of any text under one key, with all that texts share made once. */
export function tester<Code>(watermark: Watermark<Code>, options: DetectOptions): Test {
  requireWatermark(watermark)
  requireOptions('detect', options, ['key', 'vocabSize', 'alpha', 'skip', 'end', 'runs'])
  const { alpha = 0.01, end, runs } = options
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  number('alpha', alpha, 0, 1, true)
  if (runs !== undefined) integer('runs', runs, 1, MAX_RUNS)
  if (end !== undefined) integer('end', end, 0)
  const { detector, context: rule } = watermark
  if (detector === undefined) throw new TypeError(`${watermark.id}: this watermark declares no detector`)
  const skip = skipping(options.skip)
  const { many, each } = watermark.score as ManyScores<Code>
  const { codeOf, codesOf, scoreEach } = coder(watermark, options.key, vocabSize)
  warnOfShortKey(options.key)
  return (given, name) => {
    checkTokens(given, vocabSize, name)
    const tokens = cut(given, end)
    const contexts = rule.scored(tokens, skip)
    const outcome = detector.test({
      tokens,
      vocabSize,
      alpha,
      runs,
      rule,
      contexts,
      codeOf,
      score: (token, context, run = 0) => watermark.score(token, codeOf(context, run)),
      scoreEach: () => scoreEach(tokens, contexts),
      scores(several, context, run, out) {
        const code = codeOf(context, run)
        if (many !== undefined) many(several, code, out)
        else for (let i = 0; i < several.length; i++) out[i] = watermark.score(several[i]!, code)
        return out
      },
      scoresUnder(several, own, out) {
        const code = codesOf(own)
        if (each !== undefined) each(several, code, out)
        else for (let i = 0; i < several.length; i++) out[i] = watermark.score(several[i]!, code(i))
        return out
      },
    })
    checkOutcome(outcome, detector)
    const pValue = Math.exp(outcome.logPValue)
    const guaranteed = detector.guaranteed ?? true
    return { ...outcome, pValue, guaranteed, detected: outcome.logPValue <= Math.log(alpha) }
  }
}

/**
 * Tests whether a text carries a watermark under a key. Deterministic. Too few tokens to score is no error: the p-value is 1.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * const d = detect(gumbel(), tokens, { key: 'secret', vocabSize: 50257 })
 * d.pValue // 0.174: at most a with probability at most a, if the text was written without the key
 */
export function detect<Code>(watermark: Watermark<Code>, tokens: Tokens, options: DetectOptions): Detection {
  return tester(watermark, options)(tokens)
}
