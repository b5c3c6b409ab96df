/** What a detector sees and what it says. Both interfaces are public: third parties may bring their own detector. */
import type { ContextRule, Tokens } from '../keys/rule.ts'
import type { Context } from '../keys/schedule.ts'

/** Tokens, and for each position its context, or undefined where it is not scored. */
export type ScoredText = Pick<Evidence, 'tokens' | 'contexts'>

/** A code that says which draw decides the score of a token, where different contexts may share draws. */
export interface SeededCode {
  /** A whole number of 32 bits that names the draw; undefined where it is the same under every key: then it is no evidence. */
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
   * ln P(sum of `count * score` >= sum) over independent scores that each occur `counts[i]` times: what a text looks like
   * whose contexts recur. Left out where the law has none.
   */
  logTailOfCounts?(sum: number, counts: readonly number[]): number
  /**
   * The same where scores of different tokens under one context are *not* independent, such as a green list of exactly k of V
   * tokens. It sees the scored text itself, and is used instead of the other two where it is there.
   */
  logTailOfContexts?(sum: number, text: ScoredText): number
  /** ln E exp(tilt * score) of one score, or an upper bound, for tilt >= 0; not finite where there is none. What a fair bet on large scores costs. */
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
  readonly runs?: number
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

/** What a detector says about a text. */
export interface Outcome {
  /** The test statistic; higher is more evidence. */
  statistic: number
  /** Natural log of a p-value with P(pValue <= a) <= a under the null for every a. */
  logPValue: number
  /** False where the p-value is a bound rather than the exact tail. */
  exact: boolean
  /** How many positions were scored. */
  scored: number
  /** Each position's score, NaN where it was not scored. */
  perToken: Float64Array
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
  /** Whether it can tell the randomness of every position under a context rule; absent: under any. Asked by `defineWatermark`. */
  follows?(rule: ContextRule): boolean
  test(evidence: Evidence): Outcome
}
