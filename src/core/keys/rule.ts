/** Context rules say which secret randomness a position gets. The interface is public: bring your own. */
import type { Uses } from '../kernels/text-words.ts'
import type { Random } from './random.ts'
import type { Context } from './schedule.ts'

/** Token ids, in any list. */
export type Tokens = ArrayLike<number>

/** Follows one text while it is generated. */
export interface Cursor {
  /** The context of the next position, or undefined where the position gets no watermark. Asked once per position. */
  next(tokens: Tokens): Context | undefined
  /** Told after each position what was sampled and how probable the model held it. */
  drew?(token: number, probability: number): void
}

/** The promises of a rule that has not forgotten anything yet. */
export interface Memory {
  /** The most tokens of a text, before and after an edit, in which no context is scored twice. */
  readonly tokens: number
  /** The most scores that one edit can touch, in texts of that length. */
  readonly reach: number
}

/** Says which secret randomness a position gets. The interface is public: bring your own. */
export interface ContextRule {
  /** Printable and parseable, such as `ngram(2)`. */
  readonly id: string
  /** The most scores that one edit can touch, in texts of any length; Infinity without a bound. */
  readonly reach: number
  /** Set where a context is always the last `window` tokens of the text, wherever it is. */
  readonly window?: number
  /**
   * Set where `follow` looks at no more than `lookback` tokens before a position and treats all positions after the first `lookback` + 1 alike: a
   * stream then keeps only the end of the text, and counts t from where that begins.
   */
  readonly lookback?: number
  /**
   * For rules that remember a limited number of contexts: in longer texts a context is scored again, and an edit that shifts the text changes
   * what is still remembered at many positions at once. Absent: the rule forgets nothing, or never remembers.
   */
  readonly memory?: Memory
  /** Set where different contexts may well share a code: a context then says more than the code depends on. */
  readonly sharesCodes?: true
  /** True if scored positions of one text can share a context (then equal tokens share their score). */
  readonly recurs: boolean
  /**
   * The longest text of which no two marked positions share a context; absent: any length. The law of a longer text is not
   * the model's, even where each step is unbiased: what a declaration can claim as `unbiasedUpTo`.
   */
  readonly freshUpTo?: number
  /**
   * Set where a finished text does not tell the contexts of its positions, and names the kind of detector that searches for them:
   * 'alignment' for a key list read from an unknown place, 'scan' for an unknown start, 'checks' for an unknown codeword. Then `scored` says only which positions count.
   */
  readonly foundBy?: 'alignment' | 'scan' | 'checks'
  /**
   * Set where `of` scores the first position that has each `firstUses` tokens before it, with those as its context, unless its
   * token is skipped: `detectMany` then finds contexts without asking it. Ignored in a copy with another `scored`.
   */
  readonly fast?: Uses & { readonly of: ContextRule['scored'] }
  /**
   * Set where contexts reach into the prompt: `scored` and `follow` then take the index at which the text begins as a last argument, and
   * the tokens before it are the prompt. Without it detection ignores the prompt.
   */
  readonly seesPrompt?: true
  /** Starts a text; `perText` is the text's own randomness, unknown to the detector. */
  begin(perText: Random): Cursor
  /**
   * For each position of a finished text: its context, or undefined where it is not scored.
   * @param start where the text begins in `tokens`, for rules that see the prompt. Default: the prompt is not known
   */
  scored(tokens: Tokens, skip: (token: number) => boolean, start?: number): readonly (Context | undefined)[]
  /**
   * Follows a text as it grows: asked for t = `start`, `start` + 1, ... in turn (from 0 without it), gives what `scored` gives for that position. Where it is left out, a stream asks
   * `scored` about the whole text after every token.
   */
  follow?(
    skip: (token: number) => boolean,
    start?: number,
  ): (tokens: Tokens, t: number) => Context | undefined
}

/** Returns the most scores that one edit can touch while the text has at most `length` tokens, before and after it. */
export const reachUpTo = ({ reach, memory }: ContextRule, length: number): number =>
  memory !== undefined && length <= memory.tokens ? memory.reach : reach
