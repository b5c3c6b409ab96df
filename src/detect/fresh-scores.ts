/**
 * The scores of a text, token by token, of which none tells anything about the next if the text was written without the key: each pair of context and token
 * gives one score, at its first occurrence. Where scores of two tokens under one context may depend on each other, each context gives one.
 */
import { integer, outOfRange } from '../input.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import { Expansion, MAX_VOCAB } from '../keys/random.ts'
import type { ContextRule, Tokens } from '../keys/rule.ts'
import { type Context, keySchedule } from '../keys/schedule.ts'
import { warnOfShortKey } from '../keys/short-key.ts'
import { checkTokens } from '../keys/tokens.ts'
import { codeAt, requireWatermark, type Watermark } from '../watermark.ts'
import { skipping } from './detect.ts'
import type { NullLaw, SeededCode } from './detector.ts'
import { lawFor } from './null-laws.ts'

export interface FreshScoresOptions {
  readonly key: string | Uint8Array
  readonly vocabSize: number
  readonly skip?: Iterable<number>
}

export interface FreshScores {
  /** The law of each score under the null. */
  readonly law: NullLaw
  /** The score of the text's next token; undefined where it has none, or none that is new. */
  next(token: number): number | undefined
}

/** The context of each new position: from the rule where it can follow a text, else from the whole text so far. */
function contextsOf(rule: ContextRule, skip: (token: number) => boolean) {
  const follow = rule.follow?.(skip)
  return (tokens: Tokens): Context | undefined =>
    follow === undefined ? rule.scored(tokens, skip).at(-1) : follow(tokens, tokens.length - 1)
}

/** Whether a context, or a pair of context and token, is new. Where contexts never recur, each is. */
function novelty(recurs: boolean, law: NullLaw): (context: Context, token: number) => boolean {
  if (!recurs) return () => true
  const seen = new ContextMemory()
  const independent = law.logTailOfCounts !== undefined && law.logTailOfContexts === undefined
  return (context, token) => !seen.add(independent ? [...context, token] : context)
}

/** Detectors that add up scores of single tokens. */
const scoring: readonly (string | undefined)[] = ['sum', 'pairs', 'seeds']

/** Follows one text. The watermark must have a sum detector: others have no score per token. */
export function freshScores<Code>(watermark: Watermark<Code>, options: FreshScoresOptions): FreshScores {
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
  const contextOf = contextsOf(rule, skipping(options.skip))
  const schedule = keySchedule(options.key, watermark.domain)
  warnOfShortKey(options.key)
  const random = new Expansion()
  const seeded = detector.id === 'seeds'
  const isNew = novelty(rule.recurs || seeded, law)
  const tokens: number[] = []
  return {
    law,
    next(token) {
      tokens.push(token)
      try {
        checkTokens(tokens, vocabSize, 'tokens', tokens.length - 1)
      } catch (error) {
        tokens.pop()
        throw error
      }
      const context = contextOf(tokens)
      if (context === undefined || detector.keyless?.(context)) return undefined
      const code = codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
      const seed = seeded ? (code as SeededCode).seedOf?.(token) : undefined
      if (seeded && seed === undefined) return undefined
      if (!isNew(seed === undefined ? context : [seed], token)) return undefined
      const score = watermark.score(token, code)
      if (!(score >= 0 && score <= detector.bound))
        throw outOfRange(`score of token ${token}`, `a number in [0, ${detector.bound}]`, score)
      return score
    },
  }
}
