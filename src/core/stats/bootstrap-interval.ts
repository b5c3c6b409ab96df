import { callable, integer, number, requireOptions } from '../../input.ts'
import type { Interval } from './clopper-pearson.ts'
import { logNormalTail } from './log-normal-tail.ts'
import { normalQuantile } from './normal-quantile.ts'
import { quantile } from './quantile.ts'
import { realValues } from './real-values.ts'

/** The random stream that resampling draws from, such as `{ below: (n) => Math.floor(n * Math.random()) }`. */
export interface Draws {
  /** The next integer in 0 .. n-1, exactly uniform. */
  below(n: number): number
}

export interface BootstrapOptions {
  readonly random: Draws
  readonly confidence?: number
  readonly resamples?: number
  /** The estimated statistic. Default: the mean. */
  readonly statistic?: (sample: Float64Array) => number
}

/**
 * A bias-corrected and accelerated bootstrap interval (Efron, JASA 1987) for a statistic of independent values:
 * second-order correct, no normality assumed; deterministic given the stream. Too narrow for small samples: it never
 * leaves the range of the values. `statistic` gets an array that is reused; it must not keep it.
 * @example
 * const random = { below: (n) => Math.floor(n * Math.random()) }
 * bootstrapInterval([1, 2, 3, 4, 5, 6], { random }) // { estimate: 3.5, resamples: 2000, ... }
 */
export function bootstrapInterval(
  values: ArrayLike<number>,
  options: BootstrapOptions,
): Interval & { readonly estimate: number; readonly resamples: number } {
  requireOptions('bootstrapInterval', options, ['random', 'confidence', 'resamples', 'statistic'])
  const { random, confidence = 0.95, resamples = 2000, statistic = mean } = options
  callable('random.below', random?.below, 'a function (n) => an integer below n')
  callable('statistic', statistic, 'a function (values) => number')
  const sample = realValues('values', values, 2)
  number('confidence', confidence, 0, 1, true)
  integer('resamples', resamples, 100, 10_000_000)
  const estimate = statistic(sample)
  const draw = new Float64Array(sample.length)
  const replicates = Float64Array.from({ length: resamples }, () => {
    for (let i = 0; i < draw.length; i++) draw[i] = sample[random.below(sample.length)]!
    return statistic(draw)
  })
  const bias = normalQuantile(shareBelow(replicates, estimate))
  const skew = acceleration(sample, statistic)
  const end = (p: number) => {
    const z = bias + normalQuantile(p)
    return quantile(replicates, Math.exp(logNormalTail(-(bias + z / (1 - skew * z)))))
  }
  const tail = (1 - confidence) / 2
  return { estimate, low: end(tail), high: end(1 - tail), resamples }
}

function mean(sample: Float64Array): number {
  let sum = 0
  for (let i = 0; i < sample.length; i++) sum += sample[i]!
  return sum / sample.length
}

/** The share of replicates below the estimate, ties one half, kept off 0 and 1. */
function shareBelow(replicates: Float64Array, estimate: number): number {
  let below = 0
  for (const value of replicates) below += value < estimate ? 1 : value === estimate ? 0.5 : 0
  return (below + 0.5) / (replicates.length + 1)
}

/**
 * The acceleration from the jackknife: sum of cubes over 6 (sum of squares)^(3/2) of the deviations of the
 * leave-one-out values.
 */
function acceleration(sample: Float64Array, statistic: (sample: Float64Array) => number): number {
  const rest = sample.slice(1) // all but the i-th: going from i-1 to i puts one value back
  const left = Float64Array.from(sample, (_, i) => {
    if (i > 0) rest[i - 1] = sample[i - 1]!
    return statistic(rest)
  })
  const centre = mean(left)
  let squares = 0
  let cubes = 0
  for (const value of left) {
    squares += (centre - value) ** 2
    cubes += (centre - value) ** 3
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5)
}
