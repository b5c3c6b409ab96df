/**
 * Texts longer than what a rule remembers. A rule that forgets looks right on every short text; what it does to a context that
 * comes back after a long time shows only when the gap is about as long as its memory, so that length is looked for first.
 */
import type { Arbitrary } from 'fast-check'
import type { ContextRule, Tokens } from '../../core/keys/index.ts'
import { smallest } from '../../core/stats/index.ts'
import type { Edit, EditKind } from '../../theory/index.ts'
import { editKinds } from '../../theory/index.ts'
import { fc } from './fast-check.ts'
import type { Shown } from './law.ts'

/** No rule is known to remember more contexts than this and less than all. */
const LONGEST_GAP = 10_000
/** Contexts of up to this many tokens come back whole. */
const PHRASE = 64

const all = (): boolean => false

/** Returns whether a rule scores the last token. */
const scoresLast = (rule: ContextRule, tokens: Tokens): boolean =>
  rule.scored(tokens, all)[tokens.length - 1] !== undefined

/** Returns whether the position after a phrase counts for nothing because the phrase was said before, `gap` tokens apart. */
function knownAfter(rule: ContextRule, gap: number): boolean {
  const phrase = Array.from({ length: Math.min(PHRASE, gap) }, (_, i) => i)
  const filler = Array.from({ length: gap - phrase.length }, (_, i) => PHRASE + i)
  const again = [...phrase, ...filler, ...phrase, 0]
  const fresh = again.map((_, i) => i)
  return scoresLast(rule, fresh) && !scoresLast(rule, again)
}

/** Gaps after which a rule that skips known contexts must know one: as long as its context, whatever its memory. */
const SHORT_GAPS = [1, 2, 4, 8, 16, 32, 64] as const

/**
 * The longest gap after which a context is still known, for rules that skip known contexts and forget them later; undefined for
 * those that never skip, and those that still know it after 10,000 tokens.
 */
export function memoryOf(rule: ContextRule): number | undefined {
  const shortest = SHORT_GAPS.find((gap) => knownAfter(rule, gap))
  if (shortest === undefined || knownAfter(rule, LONGEST_GAP)) return undefined
  return smallest((gap) => !knownAfter(rule, gap), shortest, LONGEST_GAP) - 1
}

/** A text that goes round in a cycle, and one edit. */
export interface Cycle {
  readonly period: number
  readonly length: number
  readonly kind: EditKind
  readonly at: number
  readonly token: number
}

/** The tokens 0, 1, ..., period - 1 said again and again. */
export const cycle = (period: number, length: number): number[] =>
  Array.from({ length }, (_, t) => t % period)

/** The text of a cycle, and its edit. */
export function cycleEdit({ period, length, kind, at, token }: Cycle): { tokens: Tokens; edit: Edit } {
  const tokens = cycle(period, length)
  const place = at % (kind === 'insertion' ? length + 1 : length)
  const edit: Edit = kind === 'deletion' ? { kind, at: place } : { kind, at: place, token }
  return { tokens, edit }
}

/** The length at which a text shows what a rule forgets: several times what it remembers. */
export const longEnough = (memory: number | undefined, least: number): number =>
  Math.max(least, 3 * (memory ?? 0))

/** Cycles of any period, most of them just longer than the rule's memory, where it has one. */
export function cycles(memory: number | undefined, length: number): Arbitrary<Cycle> {
  const any = fc.oneof(fc.integer({ min: 1, max: 32 }), fc.integer({ min: 1, max: Math.ceil(length / 2) }))
  const near = memory === undefined ? any : fc.integer({ min: Math.max(1, memory - 1), max: memory + 3 })
  return fc.record({
    period: fc.oneof(any, near, near),
    length: fc.integer({ min: 1, max: length }),
    kind: fc.constantFrom(...editKinds),
    at: fc.nat({ max: length }),
    token: fc.nat({ max: length }),
  })
}

/** Those at which a rule that forgets is caught if it can be: a lap that is just too long, and one shift in its middle. */
export const cycleExamples = (memory: number, lengths: readonly number[]): Cycle[] =>
  lengths.flatMap((length) =>
    editKinds.flatMap((kind) =>
      [memory, memory + 1].map((period) => ({ period, length, kind, at: period + 1, token: 0 })),
    ),
  )

export function showCycle(one: Cycle): Shown {
  const { kind, at } = cycleEdit(one).edit
  return {
    also: `the tokens 0 to ${one.period - 1} said again and again, ${one.length} in all; ${kind} at ${at}`,
  }
}

export const showText = (tokens: readonly number[]): Shown => ({ also: `the text [${tokens.join(', ')}]` })
