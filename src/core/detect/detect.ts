import { integer, iterable, number, outOfRange, requireOptions } from '../../input.ts'
import { type Detector, type Outcome, requireWatermark, type Watermark } from '../../watermark.ts'
import { type ContextSet, excluding } from '../keys/excluded.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { ContextRule, Tokens } from '../keys/rule.ts'
import type { Context, SecretKey } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { scorer } from './scorer.ts'

/** The most runs of a permutation test: each takes as long as detection itself. */
const MAX_RUNS = 1_000_000

export interface DetectOptions {
  /** The secret key: text (UTF-8) or bytes. Codes of engines also take integers, and those of TGI need none. */
  readonly key?: SecretKey
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** The level of the decision `detected`; permutation tests choose their runs by it. Default 0.01. */
  readonly alpha?: number
  /**
   * The tokens before the text, for rules whose contexts reach into them (`ngram`, and those of SGLang, TextSeal and llama.cpp; others
   * ignore it). Without it the first positions are not scored.
   */
  readonly prompt?: Tokens
  /** Ids that are never scored: special tokens. */
  readonly skip?: Iterable<number>
  /** Contexts whose tokens are not scored: those of unmarked traffic, as `contextSet` collects them. */
  readonly excludeContexts?: ContextSet
  /** The text ends before the first of this token. */
  readonly end?: number
  /** Runs of a permutation test; by default enough for `alpha`. */
  readonly runs?: number
}

/** The result of `detect`. */
export interface Detection extends Outcome {
  /** P(pValue <= a) <= a for every a when the text does not depend on the key; see `guaranteed`. */
  readonly pValue: number
  /** True if that is promised. False only for detectors that say so: p-values as published code prints them. */
  readonly guaranteed: boolean
  /** True if pValue <= alpha. */
  readonly detected: boolean
}

/** Ids that are never scored. They need not be in the vocabulary: tokenizers have ids beyond the width of the logits. */
export function skipping(skip: unknown): (token: number) => boolean {
  const ids = new Set<number>()
  for (const id of iterable('skip', skip === undefined ? [] : skip, 'token ids in an array or a Set')) {
    ids.add(integer(`skip[${ids.size}]`, id, 0))
  }
  return (token) => ids.has(token)
}

export function cut(tokens: Tokens, end: number | undefined): Tokens {
  if (end === undefined) return tokens
  const ids = Array.from(tokens)
  const at = ids.indexOf(end)
  return at < 0 ? tokens : ids.slice(0, at)
}

/** The context of each position that is scored, by a rule and what a user leaves out; undefined elsewhere. */
export type ContextsOf = (tokens: Tokens, prompt?: Tokens) => readonly (Context | undefined)[]

/** Checks what a user leaves out. */
export function contextsUnder(
  rule: ContextRule,
  { skip, excludeContexts }: Pick<DetectOptions, 'skip' | 'excludeContexts'>,
): ContextsOf {
  const isSkipped = skipping(skip)
  const isExcluded = excluding(excludeContexts, rule)
  return (tokens, prompt) => {
    const found =
      prompt && rule.seesPrompt
        ? rule.scored(Array.from(prompt).concat(Array.from(tokens)), isSkipped, prompt.length)
        : rule.scored(tokens, isSkipped)
    return isExcluded ? found.map((one) => (one && isExcluded(one) ? undefined : one)) : found
  }
}

/** A detector that says nonsense is an error, not a p-value. */
function checkOutcome({ statistic, logPValue, perToken }: Outcome, { id, bound }: Detector): void {
  if (!(logPValue <= 0)) throw outOfRange(`${id} detector: logPValue`, 'at most 0', logPValue)
  if (Number.isNaN(statistic)) throw outOfRange(`${id} detector: statistic`, 'a number', statistic)
  for (let t = 0; t < perToken.length; t++)
    if (perToken[t]! < 0 || perToken[t]! > bound)
      throw outOfRange(`score at ${t}`, `a number in [0, ${bound}], as declared`, perToken[t])
}

/** The test of a text; `name` is what errors call it, `prompt` the tokens before it, where they are not those of all texts. */
export type Test = (tokens: Tokens, name?: string, prompt?: Tokens) => Detection

/** The test of any text under one key, with all that texts share made once. */
export function tester<Code>(watermark: Watermark<Code>, options: DetectOptions): Test {
  requireWatermark(watermark)
  requireOptions('detect', options, [
    'key',
    'vocabSize',
    'alpha',
    'prompt',
    'skip',
    'excludeContexts',
    'end',
    'runs',
  ])
  const { alpha = 0.01, prompt, end, runs } = options
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  number('alpha', alpha, 0, 1, true)
  if (runs !== undefined) integer('runs', runs, 1, MAX_RUNS)
  if (end !== undefined) integer('end', end, 0)
  if (prompt !== undefined) checkTokens(prompt, vocabSize, 'prompt')
  const { detector, context: rule } = watermark
  if (detector === undefined) throw new TypeError(`${watermark.id}: this watermark declares no detector`)
  const contextsOf = contextsUnder(rule, options)
  const scores = scorer(watermark, options.key, vocabSize)
  return (given, name, before = prompt) => {
    checkTokens(given, vocabSize, name)
    const tokens = cut(given, end)
    const contexts = contextsOf(tokens, before)
    const outcome = detector.test({
      ...scores,
      tokens,
      vocabSize,
      alpha,
      runs,
      rule,
      contexts,
      scoreEach: () => scores.scoreEach(tokens, contexts),
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
 * const d = detect(gumbel(), tokens, { key: 'a long secret key', vocabSize: 50257 })
 * d.pValue // 0.448: at most a with probability at most a, if the text was written without the key
 */
export function detect<Code>(watermark: Watermark<Code>, tokens: Tokens, options: DetectOptions): Detection {
  return tester(watermark, options)(tokens)
}
