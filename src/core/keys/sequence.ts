import { integer, refuseUnknown } from '../../input.ts'
import { below, OWN } from './random.ts'
import type { ContextRule } from './rule.ts'

/**
 * A key list of `length` entries, read in order from an offset that is random per text (Kuditipudi et al. 2023). Positions are
 * not tied to their neighbours, so a detector can align text and key after insertions and deletions. A text longer than the
 * list reads it again: then the text as a whole is no longer unbiased.
 * @example sequence({ length: 256 }).id // 'sequence(length=256)'
 */
export function sequence(options: { readonly length: number }): ContextRule {
  refuseUnknown('sequence', options, ['length'])
  const length = integer('length', options?.length, 1, OWN)
  return {
    id: `sequence(length=${length})`,
    reach: Number.POSITIVE_INFINITY,
    recurs: true,
    freshUpTo: length,
    foundBy: 'alignment',
    begin(perText) {
      let at = below(perText, 0, length)
      return {
        next() {
          const context = [at]
          at = (at + 1) % length
          return context
        },
      }
    },
    // the offset is not known here: a position's own number says only that the position counts
    scored: (tokens, skip) =>
      Array.from({ length: tokens.length }, (_, t) => (skip(tokens[t]!) ? undefined : [t % length])),
  }
}
