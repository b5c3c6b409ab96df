import type { Random, Stream, Value } from 'fast-check'
import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'

/**
 * Lists simpler values, simplest first, each with how far shrinking has come there: `progress` of the value itself is undefined
 * where it was generated or given as an example.
 */
type Simpler<T> = (
  value: T,
  progress: string | undefined,
) => IterableIterator<readonly [value: T, progress: string]>

class Shrinking<T> extends fc.Arbitrary<T> {
  readonly #from: Arbitrary<T>
  readonly #isValue: (value: unknown) => boolean
  readonly #simpler: Simpler<T>

  constructor(from: Arbitrary<T>, isValue: (value: unknown) => boolean, simpler: Simpler<T>) {
    super()
    this.#from = from
    this.#isValue = isValue
    this.#simpler = simpler
  }

  generate(random: Random, biasFactor: number | undefined): Value<T> {
    return new fc.Value(this.#from.generate(random, biasFactor).value, undefined)
  }

  canShrinkWithoutContext(value: unknown): value is T {
    return this.#isValue(value)
  }

  shrink(value: T, progress: string | undefined): Stream<Value<T>> {
    return fc.stream(this.#simpler(value, progress)).map(([next, reached]) => new fc.Value(next, reached))
  }
}

/** Makes an arbitrary that generates as another one does and shrinks in steps of its own. */
export const shrinking = <T>(
  from: Arbitrary<T>,
  isValue: (value: unknown) => boolean,
  simpler: Simpler<T>,
): Arbitrary<T> => new Shrinking(from, isValue, simpler)
