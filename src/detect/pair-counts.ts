import { ContextMemory } from '../keys/context-memory.ts'
import type { Context } from '../keys/schedule.ts'
import type { ScoredText } from './detector.ts'

/**
 * How often each (context, token) pair occurs among the scored positions, in the order in which they appear. A hash table of
 * pairs of numbers that are compared as they are: no two pairs are ever taken for one.
 */
export function pairCounts({ tokens, contexts }: ScoredText): number[] {
  const numbers = new ContextMemory()
  const counts: number[] = []
  const pairs = new Int32Array(2 * tokens.length)
  /** One more than a pair's place in `counts`; 0 where it is free. */
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * tokens.length + 1)))
  let last: Context | undefined
  let number = 0
  for (let t = 0; t < tokens.length; t++) {
    const context = contexts[t]
    if (context === undefined) continue
    // one list for many positions need not be looked up again
    if (context !== last) number = numbers.index(context)
    last = context
    const token = tokens[t]!
    const hash = Math.imul(Math.imul(number, 0x9e3779b1) ^ token, 0x85ebca6b)
    let at = (hash ^ (hash >>> 15)) & (table.length - 1)
    let pair = table[at]! - 1
    while (pair >= 0 && (pairs[2 * pair] !== number || pairs[2 * pair + 1] !== token)) {
      at = (at + 1) & (table.length - 1)
      pair = table[at]! - 1
    }
    if (pair < 0) {
      pairs[2 * counts.length] = number
      pairs[2 * counts.length + 1] = token
      table[at] = counts.push(1)
    } else counts[pair]!++
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
