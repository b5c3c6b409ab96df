/** Places to edit: distinct positions and separate spans, each choice equally likely. */

import type { Stream } from '../../core/keys/index.ts'
import { outOfRange } from '../../input.ts'
import type { AttackOptions } from './attack.ts'

/** Draws `count` distinct positions of `0 .. length - 1` in order, every set equally likely (Floyd's algorithm). */
export function distinctPositions(stream: Stream, count: number, length: number): number[] {
  const chosen = new Set<number>()
  for (let last = length - count; last < length; last++) {
    const position = stream.below(last + 1)
    chosen.add(chosen.has(position) ? last : position)
  }
  return [...chosen].sort((a, b) => a - b)
}

/** Splits `total` into a sum of `parts` integers that differ by at most one, larger ones first. */
export const evenly = (total: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, i) => Math.floor(total / parts) + (i < total % parts ? 1 : 0))

/** A stretch of positions, end excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Draws spans of the given sizes, in this order, that do not overlap in `0 .. length - 1`. Every way to place them is equally likely:
 * shrink each span to a point, and k points among the rest are a set of distinct positions.
 */
export function separateSpans(stream: Stream, sizes: readonly number[], length: number): Span[] {
  const rest = length - sizes.reduce((sum, size) => sum + size, 0)
  let before = 0
  return distinctPositions(stream, sizes.length, rest + sizes.length).map((position, i) => {
    const start = position - i + before
    before += sizes[i]!
    return { start, end: start + sizes[i]! }
  })
}

/** Draws ids of the vocabulary, never an excluded one. */
export function vocabulary(
  stream: Stream,
  { vocabSize, exclude = [] }: AttackOptions,
): (not?: number) => number {
  const excluded = new Set(exclude)
  let allowed = vocabSize
  for (const id of excluded) if (id >= 0 && id < vocabSize) allowed--
  if (!(allowed >= 2)) throw outOfRange('vocabSize', 'at least 2 ids that are not excluded', allowed)
  return (not) => {
    let id = stream.below(vocabSize)
    while (id === not || excluded.has(id)) id = stream.below(vocabSize)
    return id
  }
}
