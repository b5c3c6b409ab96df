import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'

/**
 * The source of a property's secret keys: a number that is part of the generated value, so that seed and path replay a
 * failure. Shrinking it would only change the keys, so it does not shrink.
 * @example fc.assert(fc.property(keySeed(), (seed) => Number.isInteger(seed)))
 */
export const keySeed = (): Arbitrary<number> => fc.noShrink(fc.integer())
