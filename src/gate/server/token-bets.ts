/**
 * Tokens against the probabilities that the server reports for them.
 *
 * At a fresh context (one that the run has not seen) an unbiased mark draws x_t from p, given everything before: bets on x_t are a martingale
 * over positions and texts. The sets come from the reported p alone: the most probable token, ranks 2 to 5, 6 to 20, the rest, the lower
 * half of the ids, tokens that end unmarked texts; and two learned sets, of tokens that were drawn more and less often than p said so far. Texts of a wave, which the server wrote
 * side by side, are followed position by position, and three more sets bet that rows of a batch have something in common at one position: a token, a
 * half of the ids, the most probable token. Bets depend on the past only.
 */
import { ContextMemory } from '../../core/keys/index.ts'
import type { Completion, Step } from './answer.ts'
import { logMeanWealth, TiltedBets } from './tilted-bets.ts'

/** Sets about single texts, and sets about rows that were written side by side. */
export const SINGLE = [
  'top 1',
  'ranks 2-5',
  'ranks 6-20',
  'the rest',
  'lower half of ids',
  'drawn more',
  'drawn less',
  'end tokens',
]
export const SHARED = ['a token of other rows', 'the half of other rows', 'top 1 as other rows']

/** Reported probabilities are trusted up to rounding. */
const RELATIVE = 1e-4
const ABSOLUTE = 1e-6
/** Positions between two looks at the wealth. */
const LOOK = 16

/** Remembers contexts: the last `width` generated tokens, fewer at the start of a text. */
export class Contexts {
  readonly #seen = new ContextMemory()
  readonly #width: number
  constructor(width: number) {
    this.#width = width
  }
  /** Returns whether the context of a position is new, and remembers it. The prompt is left out: different prompts may end alike. */
  isFresh(tokens: readonly number[], t: number): boolean {
    return !this.#seen.add(tokens.slice(Math.max(0, t - this.#width), t))
  }
}

/** Draws of earlier rows of a wave at one position. */
interface Column {
  readonly drawn: Set<number>
  lower: number
  top: number
}

/** A set of tokens of one position: its mass, and whether the drawn token is in it. */
interface Outcome {
  readonly mass: number
  readonly hit: boolean
}

/** A set without members: no bet. */
const NOTHING: Outcome = { mass: 0, hit: false }

export class TokenBets {
  readonly single = SINGLE.map(() => new TiltedBets())
  readonly shared = SHARED.map(() => new TiltedBets())
  /** Largest ln wealth so far. */
  peak = { single: 0, shared: 0 }
  positions = 0
  fresh = 0
  readonly #contexts: Contexts | undefined
  /** Draws minus probabilities of each token, and their variance. */
  readonly #excess = new Map<number, { sum: number; variance: number }>()

  readonly #ends: ReadonlySet<number>

  /**
   * @param contexts those of the run so far; absent for unmarked texts, all positions of which are independent
   * @param ends tokens that end texts, known from other texts than these
   */
  constructor(contexts?: Contexts, ends: ReadonlySet<number> = new Set()) {
    this.#ends = ends
    this.#contexts = contexts
  }

  /** Takes texts that were written side by side. */
  add(wave: readonly Completion[]): void {
    const longest = Math.max(0, ...wave.map(({ tokens }) => tokens.length))
    for (let t = 0; t < longest; t++) {
      const column: Column = { drawn: new Set(), lower: 0, top: 0 }
      for (const { tokens, steps } of wave) {
        if (t >= tokens.length || steps === undefined) continue
        this.positions++
        if (this.#contexts && !this.#contexts.isFresh(tokens, t)) continue
        this.fresh++
        this.#bet(tokens[t]!, steps[t]!, column)
        if (this.fresh % LOOK === 0) this.#look()
      }
    }
    this.#look()
  }

  #look(): void {
    this.peak.single = Math.max(this.peak.single, logMeanWealth(this.single))
    this.peak.shared = Math.max(this.peak.shared, logMeanWealth(this.shared))
  }

  #bet(token: number, { ids, p }: Step, column: Column): void {
    const rank = ids.indexOf(token)
    const ranks = (from: number, to: number): Outcome => {
      if (from >= ids.length) return NOTHING
      let mass = 0
      for (let r = from; r < Math.min(to, ids.length); r++) mass += p[r]!
      return { mass, hit: rank >= from && rank < to }
    }
    const listed = (has: (id: number) => boolean): Outcome => {
      const members = ids.map(has)
      if (!members.includes(true)) return NOTHING
      return { mass: p.reduce((sum, one, r) => sum + (members[r] ? one : 0), 0), hit: members[rank] === true }
    }
    const middle = ids.toSorted((a, b) => a - b)[ids.length >> 1]!
    const top = ranks(0, 1)
    const lower = listed((id) => id < middle)
    const strange = (sign: 1 | -1): Outcome =>
      listed((id) => {
        const seen = this.#excess.get(id)
        return seen !== undefined && sign * seen.sum > Math.sqrt(seen.variance)
      })
    const outcomes = [
      top,
      ranks(1, 5),
      ranks(5, ids.length),
      { mass: 1 - ranks(0, ids.length).mass, hit: rank < 0 },
      lower,
      strange(1),
      strange(-1),
      listed((id) => this.#ends.has(id)),
    ]
    this.#play(this.single, outcomes)
    if (column.drawn.size > 0) {
      const like = (sum: number, { mass, hit }: Outcome): Outcome =>
        sum === 0 ? NOTHING : sum > 0 ? { mass, hit } : { mass: 1 - mass, hit: !hit }
      this.#play(this.shared, [
        listed((id) => column.drawn.has(id)),
        like(column.lower, lower),
        like(column.top, top),
      ])
    }
    column.drawn.add(token)
    column.lower += (lower.hit ? 1 : 0) - lower.mass
    column.top += (top.hit ? 1 : 0) - top.mass
    for (let r = 0; r < ids.length; r++) {
      const seen = this.#excess.get(ids[r]!) ?? { sum: 0, variance: 0 }
      seen.sum += (r === rank ? 1 : 0) - p[r]!
      seen.variance += p[r]! * (1 - p[r]!)
      this.#excess.set(ids[r]!, seen)
    }
  }

  #play(bets: readonly TiltedBets[], outcomes: readonly Outcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome === NOTHING) continue
      const { hit } = outcome
      const mass = Math.min(1, Math.max(0, outcome.mass))
      const slack = ABSOLUTE + RELATIVE * Math.min(mass, 1 - mass)
      bets[i]!.add(hit, Math.max(0, mass - slack), Math.min(1, mass + slack))
    }
  }

  /** The set of which the bets won most, and how much more often than claimed it was drawn, per position. */
  best(of: 'single' | 'shared'): { readonly set: string; readonly deviation: number } {
    const wealth = this[of].map((bets) => logMeanWealth([bets]))
    const at = wealth.indexOf(Math.max(...wealth))
    const positions = Math.max(1, ...this[of].map(({ count }) => count))
    return { set: (of === 'single' ? SINGLE : SHARED)[at]!, deviation: this[of][at]!.excess / positions }
  }
}
