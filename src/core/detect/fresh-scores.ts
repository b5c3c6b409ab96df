/**
 * The scores of a text, token by token, of which none tells anything about the next if the text was written without the key: each pair of context and token
 * gives one score, at its first occurrence. Where scores of two tokens under one context may depend on each other, each context gives one.
 */
import { integer, outOfRange } from '../../input.ts'
import { type NullLaw, requireWatermark, type SeededCode, type Watermark } from '../../watermark.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import { type ContextSet, excluding } from '../keys/excluded.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { ContextRule, Tokens } from '../keys/rule.ts'
import type { Context, SecretKey } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { skipping } from './detect.ts'
import { lawFor } from './null-laws.ts'
import { scorer } from './scorer.ts'

export interface FreshScoresOptions {
  readonly key?: SecretKey
  readonly vocabSize: number
  readonly skip?: Iterable<number>
  readonly excludeContexts?: ContextSet
  /** The tokens before the text, for rules that see them. */
  readonly prompt?: Tokens
}

/** A position of the text that has a score of its own. */
interface Place<Code> {
  readonly context: Context
  readonly code: Code
}

export interface FreshPlaces<Code> {
  /** The law of each score under the null. */
  readonly law: NullLaw
  /** Checks a score and returns it. */
  checked(token: number, score: number): number
  /** The place of the text's next token; undefined where it has no score, or none that is new. */
  next(token: number): Place<Code> | undefined
}

export interface FreshScores {
  /** The law of each score under the null. */
  readonly law: NullLaw
  /** The score of the text's next token; undefined where it has none, or none that is new. */
  next(token: number): number | undefined
}

/** Follows the scores of one text. */
export function freshScores<Code>(watermark: Watermark<Code>, options: FreshScoresOptions): FreshScores {
  const { law, checked, next } = freshPlaces(watermark, options)
  return {
    law,
    next(token) {
      const place = next(token)
      return place && checked(token, watermark.score(token, place.code))
    },
  }
}

/** The context of each new position: from the rule where it can follow a text, else from the whole text so far. */
function contextsOf(rule: ContextRule, skip: (token: number) => boolean, start: number | undefined) {
  const follow = rule.follow?.(skip, start)
  return (tokens: Tokens): Context | undefined =>
    follow === undefined ? rule.scored(tokens, skip, start).at(-1) : follow(tokens, tokens.length - 1)
}

/** Forgets tokens that the rule will not look at again, many at a time. */
function forget(tokens: number[], { lookback, follow }: ContextRule): void {
  if (lookback === undefined || follow === undefined) return
  const kept = lookback + 2
  if (tokens.length >= 2 * kept + 64) tokens.splice(0, tokens.length - kept)
}

/** Tells whether a context, or a pair of context and token, is new. Where contexts never recur, each is. */
function novelty(recurs: boolean, law: NullLaw): (context: Context, token: number) => boolean {
  if (!recurs) return () => true
  const seen = new ContextMemory()
  const independent = law.logTailOfCounts !== undefined && law.logTailOfContexts === undefined
  return (context, token) => !seen.add(independent ? [...context, token] : context)
}

/** Detectors that add up scores of single tokens. */
const scoring: readonly (string | undefined)[] = ['sum', 'pairs', 'seeds']

/** Follows one text. The watermark must have a sum detector: others have no score per token. */
export function freshPlaces<Code>(
  watermark: Watermark<Code>,
  options: FreshScoresOptions,
): FreshPlaces<Code> {
  requireWatermark(watermark)
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  const { detector, context: rule } = watermark
  if (!scoring.includes(detector?.id) || detector?.nullLaw === undefined)
    throw outOfRange(
      'watermark',
      `one with a sum detector, which scores each token on its own (${detector === undefined ? 'this one has no detector' : `this one has the detector '${detector.id}'`})`,
      watermark.id,
    )
  const law = lawFor(detector.nullLaw, vocabSize)
  const prompt = rule.seesPrompt ? options.prompt : undefined
  if (options.prompt !== undefined) checkTokens(options.prompt, vocabSize, 'prompt')
  const contextOf = contextsOf(rule, skipping(options.skip), prompt?.length)
  const isExcluded = excluding(options.excludeContexts, rule)
  const { codeOf } = scorer(watermark, options.key, vocabSize)
  const seeded = detector.id === 'seeds'
  const isNew = novelty(rule.recurs || seeded, law)
  const tokens = Array.from(prompt ?? [])
  return {
    law,
    checked(token, score) {
      if (!(score >= 0 && score <= detector.bound))
        throw outOfRange(`score of token ${token}`, `a number in [0, ${detector.bound}]`, score)
      return score
    },
    next(token) {
      forget(tokens, rule)
      tokens.push(token)
      try {
        checkTokens(tokens, vocabSize, 'tokens', tokens.length - 1)
      } catch (error) {
        tokens.pop()
        throw error
      }
      const context = contextOf(tokens)
      if (context === undefined || detector.keyless?.(context) || isExcluded?.(context)) return undefined
      const code = codeOf(context)
      const seed = seeded ? (code as SeededCode).seedOf?.(token) : undefined
      if (seeded && seed === undefined) return undefined
      if (!isNew(seed === undefined ? context : [seed], token)) return undefined
      return { context, code }
    },
  }
}
