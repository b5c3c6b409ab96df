import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'

/**
 * Where a property's secret keys come from: a number that is part of the generated value, so that seed and path replay a
 * failure. Shrinking it would only change the keys, so it does not shrink.
 */
export const keySeed = (): Arbitrary<number> => fc.noShrink(fc.integer())
