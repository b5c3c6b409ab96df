/** Means, deviations, and standard errors by the bootstrap. */
import { seededRandom } from '../../core/keys/index.ts'

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The sample standard deviation; 0 for a single value. */
export function deviation(values: readonly number[]): number {
  const middle = meanOf(values)
  return Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / Math.max(1, values.length - 1))
}

/** The trials, of `n`, that a statistic is computed from. */
export type Index = (n: number) => number[]

export const pick = <T>(values: readonly T[], at: readonly number[]): T[] => at.map((i) => values[i]!)

const RESAMPLES = 200

/** A statistic of all trials, and its standard error over resampled trials. */
export function bootstrap(
  statistic: (index: Index) => number,
  ...seed: readonly [string | number, ...(string | number)[]]
): { value: number; se: number } {
  const random = seededRandom(...seed)
  const resample: Index = (n) => Array.from({ length: n }, () => random.below(n))
  const draws = Array.from({ length: RESAMPLES }, () => statistic(resample))
  return { value: statistic((n) => Array.from({ length: n }, (_, i) => i)), se: deviation(draws) }
}
