import { integer, refuseUnknown } from '../../../input.ts'
import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'
import { shrinking } from './shrinking.ts'
import { isWithin, type Limits, simplerNear, simplest } from './simpler.ts'

/** Constraints of `weights`. */
export interface WeightsConstraints {
  /** Fewest tokens. Default 1. */
  readonly minTokens?: number
  /** Most tokens. Default 8. */
  readonly maxTokens?: number
  /** Largest weight. Default 2^20: probabilities down to a millionth. */
  readonly maxWeight?: number
}

const scale = (list: number[], at: number, weight: number): number[] =>
  list.map((w, i) => (i === at % list.length ? weight : w))

/** The shapes that next-token distributions take, and those at which implementations break. */
function shapes({ min, max, top }: Limits): Arbitrary<number[]> {
  const size = fc.integer({ min, max })
  const list = (weight: Arbitrary<number>) => fc.array(weight, { minLength: min, maxLength: max })
  const ones = size.map((n) => Array<number>(n).fill(1))
  const zipf = ones.map((list) => list.map((_, i) => Math.round(Math.min(840, top) / (i + 1))))
  const place = fc.nat({ max: max - 1 })
  return fc.oneof(
    { arbitrary: list(fc.integer({ min: 0, max: Math.min(4, top) })), weight: 3 }, // zeros and ties
    { arbitrary: list(fc.integer({ min: 1, max: Math.min(100, top) })), weight: 3 },
    { arbitrary: ones, weight: 1 }, // uniform
    { arbitrary: zipf, weight: 1 },
    {
      arbitrary: fc
        .tuple(ones, place, fc.integer({ min: Math.min(2, top), max: Math.min(40, top) }))
        .map(([o, at, w]) => scale(o, at, w)),
      weight: 1, // one heavy token
    },
    { arbitrary: fc.tuple(ones, place).map(([o, at]) => scale(o, at, top)), weight: 1 }, // nearly deterministic
    { arbitrary: size.map((n) => scale(Array<number>(n).fill(0), n - 1, 1)), weight: 1 }, // a point mass
  )
}

/**
 * Shrinks to the simplest list of a ladder that fails, whatever the value was, and only where none of them does step by step.
 */
function* simplerWeights(
  list: number[],
  progress: string | undefined,
  limits: Limits,
): Generator<readonly [number[], string]> {
  if (progress === 'on the ladder') return
  if (progress === undefined) for (const step of simplest(list, limits)) yield [step, 'on the ladder']
  for (const near of simplerNear(list, limits)) yield [near, 'past the ladder']
}

/**
 * Next-token distributions as integer weights: uniform, Zipf, one heavy token, nearly deterministic, point masses, zeros, ties.
 * They shrink to the simplest that fails, such as `[1, 3]`, read as [1/4, 3/4].
 * @example fc.assert(fc.property(weights({ maxTokens: 6 }), (list) => list.length <= 6 && Math.max(...list) > 0))
 */
export function weights(constraints: WeightsConstraints = {}): Arbitrary<number[]> {
  refuseUnknown('weights', constraints, ['minTokens', 'maxTokens', 'maxWeight'])
  const max = integer('maxTokens', constraints.maxTokens ?? 8, 1, 2 ** 16)
  const min = integer('minTokens', constraints.minTokens ?? 1, 1, max)
  const limits = { min, max, top: integer('maxWeight', constraints.maxWeight ?? 2 ** 20, 1) }
  return shrinking(
    shapes(limits).filter((list) => list.some((w) => w > 0)),
    (value) => Array.isArray(value) && isWithin(value, limits),
    (list, progress) => simplerWeights(list, progress, limits),
  )
}
