import { MAX_VOCAB } from '../../../core/keys/index.ts'
import { integer, requireOptions } from '../../../input.ts'
import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'

/** Constraints of `text`. */
export interface TextConstraints {
  readonly vocabSize: number
  /** Fewest tokens. Default 1. */
  readonly minLength?: number
  /** Most tokens. Default 64. */
  readonly maxLength?: number
}

/** The longest text. */
const MAX_LENGTH = 2 ** 20

/**
 * Texts that repeat themselves as texts do: a few phrases said again and again, among tokens said once. Repeated contexts are
 * where detectors go wrong.
 * @example fc.assert(fc.property(text({ vocabSize: 10 }), (tokens) => tokens.every((token) => token < 10)))
 */
export function text(constraints: TextConstraints): Arbitrary<number[]> {
  requireOptions('text', constraints, ['vocabSize', 'minLength', 'maxLength'])
  const vocabSize = integer('vocabSize', constraints.vocabSize, 1, MAX_VOCAB)
  const maxLength = integer('maxLength', constraints.maxLength ?? 64, 1, MAX_LENGTH)
  const minLength = integer('minLength', constraints.minLength ?? 1, 0, maxLength)
  const token = fc.nat({ max: vocabSize - 1 })
  const phrases = fc.array(fc.array(token, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })
  const order = fc.array(fc.nat({ max: 3 }), { minLength: Math.max(1, Math.ceil(maxLength / 4)), maxLength })
  const repetitive = fc.tuple(phrases, order).map(([list, picks]) => {
    const tokens = picks.flatMap((pick) => list[pick % list.length]!).slice(0, maxLength)
    while (tokens.length < minLength) tokens.push(tokens[tokens.length - 1]!)
    return tokens
  })
  return fc.oneof(fc.array(token, { minLength, maxLength }), repetitive)
}
