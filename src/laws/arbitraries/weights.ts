import type { Random, Stream, Value } from 'fast-check'
import { integer, refuseUnknown } from '../../input.ts'
import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'
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

/** How far shrinking has come; undefined for a value that was generated or given as an example. */
type Progress = undefined | 'on the ladder' | 'past the ladder'

/**
 * Generates by shape; shrinks to the simplest list of a ladder that fails, whatever the value was, and only where none of them
 * does step by step.
 */
class Weights extends fc.Arbitrary<number[]> {
  readonly #shapes: Arbitrary<number[]>
  readonly #limits: Limits

  constructor(limits: Limits) {
    super()
    this.#limits = limits
    this.#shapes = shapes(limits).filter((weights) => weights.some((w) => w > 0))
  }

  generate(random: Random, biasFactor: number | undefined): Value<number[]> {
    return new fc.Value(this.#shapes.generate(random, biasFactor).value, undefined)
  }

  canShrinkWithoutContext(value: unknown): value is number[] {
    return Array.isArray(value) && isWithin(value, this.#limits)
  }

  shrink(value: number[], progress: Progress): Stream<Value<number[]>> {
    if (progress === 'on the ladder') return fc.Stream.nil()
    const ladder = progress === undefined ? simplest(value, this.#limits) : []
    return fc
      .stream(ladder.values())
      .map((list) => new fc.Value(list, 'on the ladder'))
      .join(fc.stream(simplerNear(value, this.#limits)).map((list) => new fc.Value(list, 'past the ladder')))
  }
}

/**
 * Next-token distributions as whole weights: uniform, Zipf, one heavy token, nearly deterministic, point masses, zeros, ties.
 * They shrink to the simplest that fails, such as `[1, 3]`, read as [1/4, 3/4].
 * @example fc.assert(fc.property(weights({ maxTokens: 6 }), (list) => list.length <= 6 && Math.max(...list) > 0))
 */
export function weights(constraints: WeightsConstraints = {}): Arbitrary<number[]> {
  refuseUnknown('weights', constraints, ['minTokens', 'maxTokens', 'maxWeight'])
  const max = integer('maxTokens', constraints.maxTokens ?? 8, 1, 2 ** 16)
  const min = integer('minTokens', constraints.minTokens ?? 1, 1, max)
  return new Weights({ min, max, top: integer('maxWeight', constraints.maxWeight ?? 2 ** 20, 1) })
}
