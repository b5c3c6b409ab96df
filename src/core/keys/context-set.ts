import { iterable, outOfRange, wrongType } from '../../input.ts'
import type { ContextSet } from './excluded.ts'
import type { ContextRule, Tokens } from './rule.ts'
import type { Context } from './schedule.ts'
import { checkTokens } from './tokens.ts'

/** Mixes the tokens of a context into 32 bits, from two different starts and factors: together 64. */
function hashOf(context: Context, start: number, factor: number): number {
  let h = start ^ context.length
  for (let i = 0; i < context.length; i++) {
    h = Math.imul(h ^ context[i]!, factor)
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ (h >>> 13)
  }
  h = Math.imul(h ^ (h >>> 16), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * Contexts that are kept as hashes of 64 bits. A context that is not in a set of n is taken for one that is with a probability of about
 * n / 2^64, and then only a token less is scored: the level of a test does not suffer.
 */
export class HashedContexts implements ContextSet {
  readonly rule: string
  size = 0
  /** Pairs of words, both 0 where the place is free. */
  #table = new Uint32Array(2 * 1024)

  constructor(rule: string) {
    this.rule = rule
  }

  has(context: Context): boolean {
    return this.#table[this.#place(...wordsOf(context))] !== 0
  }

  /** Adds a context; returns whether it was there before. */
  add(context: Context): boolean {
    const [first, second] = wordsOf(context)
    const at = this.#place(first, second)
    if (this.#table[at] !== 0) return true
    this.#table[at] = first
    this.#table[at + 1] = second
    this.size++
    if (4 * this.size > this.#table.length) this.#grow()
    return false
  }

  /** Returns the index of the entry, or of the free place for it. */
  #place(first: number, second: number): number {
    const table = this.#table
    const last = table.length / 2 - 1
    for (let at = second & last; ; at = (at + 1) & last)
      if (table[2 * at] === 0 || (table[2 * at] === first && table[2 * at + 1] === second)) return 2 * at
  }

  #grow(): void {
    const old = this.#table
    this.#table = new Uint32Array(2 * old.length)
    for (let i = 0; i < old.length; i += 2) {
      if (old[i] === 0) continue
      const at = this.#place(old[i]!, old[i + 1]!)
      this.#table[at] = old[i]!
      this.#table[at + 1] = old[i + 1]!
    }
  }
}

/** The first word is never 0, which marks a free place. */
const wordsOf = (context: Context): [number, number] => [
  hashOf(context, 0x9e3779b9, 0x27d4eb2f) || 1,
  hashOf(context, 0x3c6ef372, 0x165667b1),
]

/**
 * Collects the contexts of unmarked texts, for `detect(..., { excludeContexts })`. Documents that share structure (a greeting, a template) share
 * contexts, and so their scores under one key: false alarms come in clusters, and the rate that one key has on this traffic can lie far above
 * the level. Tokens after contexts that never occur in unmarked traffic keep the level.
 * @example
 * const seen = contextSet([[5, 6, 7, 8], [5, 6, 9]], ngram(2))
 * seen.size // 2: (5, 6) and (6, 7)
 */
export function contextSet(texts: Iterable<Tokens>, rule: ContextRule): ContextSet {
  if (typeof rule?.scored !== 'function')
    throw wrongType('rule', 'a context rule such as ngram(2), or gumbel().context', rule)
  if (rule.foundBy !== undefined)
    throw outOfRange('rule', 'a rule whose contexts are tokens of the text, such as ngram(2)', rule.id)
  const set = new HashedContexts(rule.id)
  let count = 0
  for (const tokens of iterable<Tokens>(
    'texts',
    texts,
    'texts that can be iterated, each a list of token ids',
  )) {
    checkTokens(tokens, 2 ** 32, `texts[${count++}]`)
    for (const context of rule.scored(tokens, () => false)) if (context !== undefined) set.add(context)
  }
  return set
}
