/** Context rules say which secret randomness a position gets. The interface is public: bring your own. */
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

/** What holds while a rule has not forgotten anything yet. */
export interface Memory {
  /** The text, before and after an edit, has at most so many tokens: then no context is scored twice. */
  readonly tokens: number
  /** How many scores one edit can touch at the most, in such texts. */
  readonly reach: number
}

/** Says which secret randomness a position gets. The interface is public: bring your own. */
export interface ContextRule {
  /** Printable and parseable, such as `ngram(2)`. */
  readonly id: string
  /** How many scores one edit can touch at the most, in texts of any length; Infinity where there is no bound. */
  readonly reach: number
  /** Set where a context is always the last so many tokens of the text, whatever their number in it. */
  readonly window?: number
  /**
   * For rules that remember only so many contexts: in longer texts a context is scored again, and an edit that shifts the text changes
   * what is still remembered at many positions at once. Absent: the rule forgets nothing, or never remembers.
   */
  readonly memory?: Memory
  /** Set where different contexts may well share a code: a context then says more than the code depends on. */
  readonly sharesCodes?: true
  /** Whether scored positions of one text can share a context (then equal tokens share their score). */
  readonly recurs: boolean
  /**
   * The longest text of which no two marked positions share a context; absent: any length. The law of a longer text is not
   * the model's, even where each step is unbiased: what a declaration can claim as `unbiasedUpTo`.
   */
  readonly freshUpTo?: number
  /**
   * Set where a finished text does not tell the contexts of its positions, and names the kind of detector that searches for them:
   * 'alignment' for a key list read from an unknown place, 'scan' for an unknown start. Then `scored` says only which positions count.
   */
  readonly foundBy?: 'alignment' | 'scan'
  /** Starts a text; `perText` is the text's own randomness, unknown to the detector. */
  begin(perText: Random): Cursor
  /** For each position of a finished text: its context, or undefined where it is not scored. */
  scored(tokens: Tokens, skip: (token: number) => boolean): readonly (Context | undefined)[]
  /**
   * Follows a text as it grows: asked for t = 0, 1, ... in turn, gives what `scored` gives for position t. Where it is left out, a stream asks
   * `scored` about the whole text after every token.
   */
  follow?(skip: (token: number) => boolean): (tokens: Tokens, t: number) => Context | undefined
}

/** How many scores one edit can touch at the most while the text has at most `length` tokens, before and after it. */
export const reachUpTo = ({ reach, memory }: ContextRule, length: number): number =>
  memory !== undefined && length <= memory.tokens ? memory.reach : reach
