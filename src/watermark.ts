/**
 * The types that everything meets at. A watermark is declared once, and generation, detection, its property suite, its row in
 * every table and its line in the throughput report are derived from the declaration.
 */

import type {
  Context,
  ContextRule,
  EngineWords,
  KeySchedule,
  Message,
  MessageLayout,
  Random,
  Site,
  Tokens,
} from './core/keys/index.ts'
import { outOfRange, wrongType } from './input.ts'

/** Tokens, and for each position its context, or undefined where it is not scored. */
export type ScoredText = Pick<Evidence, 'tokens' | 'contexts'>

/** A code that names the draw that decides the score of a token, where different contexts may share draws. */
export interface SeededCode {
  /** A 32-bit integer that names the draw; undefined where the draw is the same under every key, and so no evidence. */
  seedOf?(token: number): number | undefined
}

/** The law of the total score of a text that was not watermarked. */
export interface NullLaw {
  readonly name: string
  /** False where the tail is an upper bound rather than the tail itself. */
  readonly exact: boolean
  /** The mean of one score. */
  readonly mean: number
  /** Set where scores are multiples of this. */
  readonly step?: number
  /** ln P(sum of n independent scores >= sum). */
  logTail(sum: number, n: number): number
  /**
   * ln P(sum of `count * score` >= sum) over independent scores that each occur `counts[i]` times: the law of a text
   * whose contexts recur. Left out where the law has none.
   */
  logTailOfCounts?(sum: number, counts: readonly number[]): number
  /**
   * The same where scores of different tokens under one context are *not* independent, such as a green list of exactly k of V
   * tokens. It sees the scored text itself, and replaces the other two where it is declared.
   */
  logTailOfContexts?(sum: number, text: ScoredText): number
  /** ln E exp(tilt * score) of one score, or an upper bound, for tilt >= 0; not finite where the mean is infinite. The price of a fair bet on large scores. */
  logMgf?(tilt: number): number
}

/** A law, or one that depends on the vocabulary (int(gamma V) green tokens of V). */
export type LawOf = NullLaw | ((vocabSize: number) => NullLaw)

/** A text as a detector sees it: scores, and the code only for the detector of a method whose contexts may share codes. */
export interface Evidence {
  readonly tokens: Tokens
  readonly vocabSize: number
  /** The level at which the user wants to decide; permutation tests choose their runs by it. */
  readonly alpha: number
  /** Number of permutation runs, where the user asked for one. */
  readonly runs?: number | undefined
  readonly rule: ContextRule
  /** For each position its context, or undefined where it is not scored. */
  readonly contexts: readonly (Context | undefined)[]
  /** Score of a token under the code of a context. `run`: under an independent key, for permutation tests (0: the key). */
  score(token: number, context: Context, run?: number): number
  /** Every position's score under the key, NaN where it has no context: all codes are seeded at once. */
  scoreEach(): Float64Array
  /** Scores of several tokens under one context, written to `out`: the code is drawn once. */
  scores(tokens: Tokens, context: Context, run: number, out: Float64Array): Float64Array
  /**
   * The code of a context under the key (run 0), for detectors that belong to one method: published codes whose seeds collide. Absent where evidence is made
   * without codes.
   */
  codeOf?(context: Context, run: number): unknown
  /** Scores of tokens under contexts of their own, all different, written to `out`: fast, and equal to `score` to rounding. */
  scoresUnder(tokens: Tokens, contexts: readonly Context[], out: Float64Array): Float64Array
}

/** A detector's verdict on a text. */
export interface Outcome {
  /** The test statistic; higher is more evidence. */
  statistic: number
  /** Natural log of a p-value with P(pValue <= a) <= a under the null for every a. */
  logPValue: number
  /** False where the p-value is a bound rather than the exact tail. */
  exact: boolean
  /** The number of positions that were scored. */
  scored: number
  /** Each position's score, NaN where it was not scored. */
  perToken: Float64Array
}

export interface SumDetectorOptions {
  /** The law of one score under the null, or a function of the vocabulary's size. */
  readonly nullLaw: LawOf
  /** Scores lie in [0, bound]. Default: unbounded, which means no robustness certificate. */
  readonly bound?: number
  /** Contexts whose code is the same under every key: their tokens are no evidence and not scored. Default: none. */
  readonly keyless?: ((context: Context) => boolean) | undefined
}

/** Turns the scores of a text into a p-value. The interface is public: bring your own. */
export interface Detector {
  readonly id: string
  /** Scores lie in [0, bound]; Infinity where they are unbounded. */
  readonly bound: number
  /** The null law of one score, where the statistic is a sum of them. */
  readonly nullLaw?: LawOf
  /** Contexts whose code is the same under every key: a sum detector scores none of their tokens. */
  readonly keyless?: ((context: Context) => boolean) | undefined
  /** False where P(pValue <= a) <= a is not promised: p-values as published code prints them. Default true. */
  readonly guaranteed?: boolean
  /**
   * Set where the test `of` is the sum of scores and its tail under these options: `detectMany` then adds up scores without
   * asking it. Ignored in a copy with another test.
   */
  readonly fast?: {
    readonly sum: SumDetectorOptions
    readonly of: Detector['test']
    /** Set where the tail is of the sum of these functions of the scores, which itself is the statistic. */
    least?(score: number): number
    /** Set where each pair of context and token counts once, under a rule that scores every position. */
    readonly pairs?: true
  }
  /** Returns whether it can tell the randomness of every position under a context rule; absent: under any. Asked by `defineWatermark`. */
  follows?(rule: ContextRule): boolean
  test(evidence: Evidence): Outcome
}

/** A code with its share of an average. */
export interface Weighted<Code> {
  readonly code: Code
  readonly weight: number
}

/** A score that is a function of one or two words of a position's randomness: `draw` uses no other part of it. */
export interface WordScore {
  /** Set where words are those of an engine: turns the key into what its function is keyed with. Default: they are words of the key schedule. */
  engine?(key: Uint8Array): EngineWords
  /** One or two words of a token, as pairs: those at `(token & and) ^ xor` for `[and, xor, and, xor]`. */
  readonly indices: readonly number[]
  /** The score, to the last bit; NaN where two words do not tell it. */
  score(first: number, second: number): number
  /** Its compiled twin, where it has one (src/core/kernels/text-words.ts). */
  readonly compiled?: 'evidence'
}

/**
 * Faster ways to do what the plain functions of a declaration do. Each gives the same results as the plain function, to rounding
 * unless it says more; the gate compares them.
 */
export interface FastPaths<Code> {
  /** Scores of several tokens under one code, written to `out`. */
  scoreMany?(tokens: Tokens, code: Code, out: Float64Array): void
  /** Scores of several tokens, each under a code of its own: `codeOf(i)` draws the code of tokens[i], valid until the next call. */
  scoreEach?(tokens: Tokens, codeOf: (i: number) => Code, out: Float64Array): void
  /** The score as a function of words, equal to the last bit: `detectMany` then needs no codes. */
  readonly words?: WordScore | undefined
  /** Writes q = F(p, code) for each code, row after row. */
  reweightMany?(p: Float64Array, codes: readonly Code[], out: Float64Array): void
  /** The functions that these are about, noted by `defineWatermark`: a copy that changes one of them loses what depends on it. */
  readonly of?: DeclaredFunctions<Code>
}

type DeclaredFunctions<Code> = Pick<Watermark<Code>, 'draw' | 'reweight' | 'score'>

/**
 * The law of a marked token's score in closed form, for a model whose next-token distribution is p, over random keys and the
 * token drawn: power and the length that a text needs are computed from it.
 */
export interface MarkedScore {
  mean(p: Float64Array): number
  /** P(score >= s). */
  tail(p: Float64Array, s: number): number
  /** Scores are integers from 0 to this. Absent: any numbers of at least 0. */
  readonly most?: number
  /** The functions that it is about, noted by `defineWatermark`: a copy that changes one of them has no closed form. */
  readonly of?: { readonly draw: unknown; readonly reweight: unknown; readonly score: unknown }
}

/**
 * Speculative decoding under a watermark: a small model drafts tokens, and the target model keeps or replaces them. Each function
 * gets the code of its position; `own` draws numbers in [0, 1) that no key knows. The law of what is emitted must be the target's.
 */
export interface Speculation<Code> {
  /** Draws the draft of a position from the draft model's distribution d. */
  draft(d: Float64Array, code: Code, own: () => number): number
  /** Returns whether the target, whose distribution is p, keeps the draft. */
  accept(p: Float64Array, d: Float64Array, token: number, code: Code, own: () => number): boolean
  /** Draws the token that takes the place of a rejected draft: the run of drafts ends there. */
  recover(p: Float64Array, d: Float64Array, code: Code, own: () => number): number
  /** Draws the token after a run of drafts that were all kept. */
  bonus(p: Float64Array, code: Code, own: () => number): number
}

interface Parts<Code> {
  /** The claim that the suite gates: over random keys the mean of q is p, exactly. */
  readonly unbiased: boolean
  /**
   * The length of text up to which the claim is about whole texts; absent: any length. 1 where each step is unbiased and
   * texts are not. Shipped methods claim what their context rule allows: `context.freshUpTo`.
   */
  readonly unbiasedUpTo?: number
  /**
   * Set where codes are drawn from seeds of this many bits: two contexts, or two keys, then share a code with probability 2^-seedBits.
   * Absent: hardly any two of them share one. The gate counts.
   */
  readonly seedBits?: number
  /**
   * The decoder whose law the watermark preserves; absent: sampling from p. With another one the claim `unbiased` is about that law: over random keys
   * the mean of q is what the decoder makes of p, exactly. The embedder decodes positions without a mark by it too.
   */
  readonly target?: 'permute-and-flip'
  /** True if `draw` reads the secret key itself (`site.key`), as some published codes must. Default: it never sees it. */
  readonly needsKey?: boolean
  /** Turns the key that a user gives into text or bytes, where integers are keys too or there is a default. Default: it is one of these. */
  keyOf?(key: unknown): unknown
  /** The code of one position. */
  draw(random: Random, vocabSize: number, site: Site): Code
  /** One token's evidence under its code; higher is more. */
  score(token: number, code: Code): number
  /** The test of the scores; undefined only where there is nothing to detect. */
  readonly detector: Detector | undefined
  /**
   * Codes that the key could as well have drawn, whose average of q is exactly p: makes unbiasedness checkable without
   * sampling. Contains the given code. Plain codes weigh the same.
   */
  orbit?(code: Code, p: Float64Array): Iterable<Code> | Iterable<Weighted<Code>>
  /** Every code with its probability, where a small vocabulary has few: makes the bias of a biased method exact. */
  enumerate?(vocabSize: number): Iterable<Weighted<Code>>
  /** The law of a marked token's score, where it has a closed form. */
  readonly markedScore?: MarkedScore
  /** The protocol of speculative decoding, where there is one. */
  readonly speculative?: Speculation<Code> | undefined
  /** Faster ways to do the same. Nothing depends on them but the time it takes. */
  readonly fast?: FastPaths<Code> | undefined
}

/** Either `reweight` (write q) or `choose` (q is a point mass: name its token); a complete watermark has both. */
type Reweighting<Code> =
  | {
      reweight(p: Float64Array, code: Code, q: Float64Array): void
      choose?(p: Float64Array, code: Code): number
    }
  | {
      choose(p: Float64Array, code: Code): number
      reweight?(p: Float64Array, code: Code, q: Float64Array): void
    }

/** The part of a declaration without its name and the randomness that it gets. */
export type DeclaredParts<Code> = Parts<Code> & Reweighting<Code>

interface Named {
  /** Unique and printable, such as `dipmark(alpha=0.4)`: tables and file names show it. */
  readonly id: string
  /** The rule that says which secret randomness a position gets. */
  readonly context: ContextRule
}

/** The argument of `defineWatermark`. A complete watermark is one, so that a copy can be declared: `{ ...gumbel(), id: 'mine' }`. */
export type Declaration<Code> = Named &
  DeclaredParts<Code> & {
    /** The name that the key schedule separates by: method, context rule and the parameters that shape the code. Default: `id`. */
    readonly domain?: string
  }

/** The watermarks of all messages, as `withMessage` makes them. */
export interface MessageFamily<Code> extends MessageLayout {
  /** The watermark that draws the codes, from contexts that end with a number for the block and its value. */
  readonly base: Watermark<Code>
  /** Returns the watermark of one message: an ordinary one. */
  of(message: Message): Watermark<Code>
}

/** A complete watermark. */
export interface Watermark<Code = unknown> extends Named, Parts<Code> {
  readonly domain: string
  /** Set where texts carry a message (`withMessage`); the watermark itself then carries zeros. */
  readonly messages?: MessageFamily<Code>
  /** Writes every entry of q = F(p, code); p is not touched. */
  reweight(p: Float64Array, code: Code, q: Float64Array): void
  /** The token that gets all mass, for methods whose q is a point mass. */
  choose?(p: Float64Array, code: Code): number
}

/** A watermark of any code type: lists and tables hold these. */
// biome-ignore lint/suspicious/noExplicitAny: a Watermark<Code> is invariant in Code, so a mixed list has no other type
export type AnyWatermark = Watermark<any>

/** The key that a code sees unless its declaration says that it needs the real one. */
const NO_KEY = new Uint8Array(0)

export const isFunction = (value: unknown): boolean => typeof value === 'function'

/** Returns the closed form of the law of a marked token's score; undefined without one, or where a copy changed what it is about. */
export function closedForm<Code>(watermark: Watermark<Code>): MarkedScore | undefined {
  const { markedScore, draw, reweight, score } = watermark
  const of = markedScore?.of ?? watermark
  return of.draw === draw && of.reweight === reweight && of.score === score ? markedScore : undefined
}

/** Returns the fast scores of a watermark; none where a copy changed the score. */
export const fastScores = <Code>({
  fast,
  score,
}: Pick<Watermark<Code>, 'fast' | 'score'>): FastPaths<Code> => (fast?.of?.score === score ? fast : {})

/** Returns the score as a function of words; undefined without one, or where a copy changed the score or the draw. */
export const wordScore = <Code>(watermark: Watermark<Code>): WordScore | undefined =>
  watermark.fast?.of?.draw === watermark.draw ? fastScores(watermark).words : undefined

/** Returns the reweight of many codes; undefined without one, or where a copy changed the reweight. */
export const reweightMany = <Code>({ fast, reweight }: Watermark<Code>): FastPaths<Code>['reweightMany'] =>
  fast?.of?.reweight === reweight ? fast.reweightMany : undefined

/**
 * Draws the code of one position under a key: the one place where a key's randomness becomes a code.
 * @param random the position's randomness, where a hot loop has it already
 */
export function codeAt<Code>(
  watermark: Pick<Watermark<Code>, 'draw' | 'needsKey'>,
  schedule: KeySchedule,
  vocabSize: number,
  context: Context,
  random: Random = schedule.random(context),
): Code {
  return watermark.draw(random, vocabSize, {
    shared: schedule.shared,
    context,
    key: watermark.needsKey ? schedule.key : NO_KEY,
  })
}

/** Checks that a value is a complete watermark, as `defineWatermark` returns it. */
export function requireWatermark(value: unknown, name = 'watermark'): void {
  const w = value as Partial<Watermark> | null | undefined
  const complete =
    typeof w === 'object' &&
    w !== null &&
    typeof w.id === 'string' &&
    typeof w.domain === 'string' &&
    isFunction(w.draw) &&
    isFunction(w.score) &&
    isFunction(w.reweight) &&
    (w.detector === undefined || isFunction(w.detector?.test)) &&
    isFunction(w.context?.begin) &&
    isFunction(w.context?.scored)
  if (complete) return
  throw wrongType(name, 'a watermark such as gumbel() or what defineWatermark returns', value)
}

/**
 * Puts the claim into words, as tables print it.
 * @example claimOf(expEdit()) // 'unbiased up to 256 tokens'
 */
export function claimOf({
  unbiased,
  unbiasedUpTo,
  target,
}: Pick<Watermark, 'unbiased' | 'unbiasedUpTo' | 'target'>): string {
  if (!unbiased) return 'biased'
  const what = target === undefined ? 'unbiased' : `unbiased for ${target}`
  if (unbiasedUpTo === undefined) return what
  return unbiasedUpTo === 1 ? `each step ${what}` : `${what} up to ${unbiasedUpTo} tokens`
}

/** Returns the orbit of a code with weights that sum to 1, whatever form the declaration gives it; undefined without one. */
export function weightedOrbit<Code>(
  watermark: Watermark<Code>,
  code: Code,
  p: Float64Array,
): Weighted<Code>[] | undefined {
  if (watermark.orbit === undefined) return undefined
  let plain = true
  const members = Array.from<unknown, Weighted<Code>>(watermark.orbit(code, p), (member) => {
    const weighted = typeof member === 'object' && member !== null && 'code' in member && 'weight' in member
    if (weighted) plain = false
    return weighted ? (member as Weighted<Code>) : { code: member as Code, weight: 1 }
  })
  const total = members.reduce((sum, { weight }) => sum + weight, 0)
  if (!plain && !(Math.abs(total - 1) <= 1e-9)) throw outOfRange('orbit', 'weights that sum to 1', total)
  return members.map((member) => ({ code: member.code, weight: member.weight / total }))
}
