import type { ScoredText } from '../../watermark.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import type { Context } from '../keys/schedule.ts'

/** Counts how often each (context, token) pair occurs among the scored positions, in the order in which they appear. */
export function pairCounts({ tokens, contexts }: ScoredText): number[] {
  const numbers = new ContextMemory()
  const pairs = new ContextMemory(tokens.length)
  const counts: number[] = []
  let last: Context | undefined
  let number = 0
  for (let t = 0; t < tokens.length; t++) {
    const context = contexts[t]
    if (context === undefined) continue
    // one list for many positions need not be looked up again
    if (context !== last) number = numbers.index(context)
    last = context
    const pair = pairs.index([number, tokens[t]!])
    counts[pair] = (counts[pair] ?? 0) + 1
  }
  return counts
}

/** The same counts, those of one context together: `groups[i]` says how often each different token occurs under context i. */
export function contextCounts({ tokens, contexts }: ScoredText): number[][] {
  const numbers = new ContextMemory()
  const groups: Map<number, number>[] = []
  for (let t = 0; t < tokens.length; t++) {
    const context = contexts[t]
    if (context === undefined) continue
    const number = numbers.index(context)
    groups[number] ??= new Map()
    groups[number].set(tokens[t]!, (groups[number].get(tokens[t]!) ?? 0) + 1)
  }
  return groups.map((counts) => [...counts.values()])
}
