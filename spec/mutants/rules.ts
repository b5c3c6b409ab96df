/** Context rules put together from what names a position and what is remembered. */
import type { ContextRule, Tokens } from '../../src/core/keys/rule.ts'
import type { Context } from '../../src/core/keys/schedule.ts'

/** The n tokens before position t. */
export function last(tokens: Tokens, t: number, n: number): Context | undefined {
  if (t < n) return undefined
  const context: number[] = []
  for (let i = t - n; i < t; i++) context.push(tokens[i]!)
  return context
}

/** How a rule remembers what it used: under which name, and how many names at the most. */
export interface Memory {
  nameOf(context: Context, tokens: Tokens, t: number): string
  readonly capacity: number
}
export const unbounded: Memory = { nameOf: (context) => context.join(), capacity: Number.POSITIVE_INFINITY }

/** A rule that skips what its memory knows. */
export function rule(
  id: string,
  contextOf: (tokens: Tokens, t: number) => Context | undefined,
  { nameOf, capacity }: Memory = unbounded,
): ContextRule {
  const starting = () => {
    const used = new Set<string>() // in the order in which they came
    return (tokens: Tokens, t: number): Context | undefined => {
      const context = contextOf(tokens, t)
      if (context === undefined) return undefined
      const name = nameOf(context, tokens, t)
      if (used.has(name)) return undefined
      used.add(name)
      if (used.size > capacity) used.delete(used.values().next().value!)
      return context
    }
  }
  return {
    id,
    reach: 5,
    recurs: false,
    begin: () => {
      const at = starting()
      return { next: (tokens) => at(tokens, tokens.length) }
    },
    scored: (tokens, skip) => {
      const at = starting()
      return Array.from({ length: tokens.length }, (_, t) => {
        const context = at(tokens, t)
        return skip(tokens[t]!) ? undefined : context
      })
    },
  }
}
/** Nothing is remembered: every context is used whenever it comes. */
export const never: Memory = { nameOf: (_, __, t) => `${t}`, capacity: 0 }
