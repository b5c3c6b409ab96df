import { number, outOfRange, wrongType } from '../../../input.ts'

/** The sum of independent Bernoulli(rate) variables, `counts[g]` of them with the weight `weights[g]`. */
export interface WeightedBernoulli {
  readonly weights: readonly number[]
  readonly counts: readonly number[]
  readonly rate: number
  /** The sum of all weights: the largest value. */
  readonly total: number
  /** The number of variables. */
  readonly size: number
}

/** Checks the arguments, drops zero weights and gathers equal ones. */
export function weightedBernoulli(
  weights: ArrayLike<number>,
  rate: number,
  counts: ArrayLike<number> | undefined,
  whole: boolean,
): WeightedBernoulli {
  number('rate', rate, 0, 1)
  if (counts !== undefined && counts.length !== weights.length)
    throw outOfRange('counts', `one per weight, ${weights.length} in all`, counts)
  const expected = whole ? 'an integer of at least 0' : 'a finite number of at least 0'
  const gathered = new Map<number, number>()
  for (let i = 0; i < weights.length; i++) {
    const weight: unknown = weights[i]
    const count: unknown = counts === undefined ? 1 : counts[i]
    if (typeof weight !== 'number') throw wrongType(`weights[${i}]`, expected, weight)
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY) || (whole && !Number.isSafeInteger(weight)))
      throw outOfRange(`weights[${i}]`, expected, weight)
    if (!Number.isSafeInteger(count) || (count as number) < 0)
      throw outOfRange(`counts[${i}]`, 'an integer of at least 0', count)
    if (weight > 0 && (count as number) > 0)
      gathered.set(weight, (gathered.get(weight) ?? 0) + (count as number))
  }
  const sorted = [...gathered].sort(([a], [b]) => b - a)
  const total = sorted.reduce((sum, [weight, count]) => sum + weight * count, 0)
  const size = sorted.reduce((sum, [, count]) => sum + count, 0)
  return { weights: sorted.map(([w]) => w), counts: sorted.map(([, c]) => c), rate, total, size }
}

/** The sum under the tilt e^(θX): per weight the tilted rate and its complement. */
export interface Tilt {
  readonly theta: number
  readonly on: Float64Array
  readonly off: Float64Array
  readonly mean: number
  readonly variance: number
}

function tilt(law: WeightedBernoulli, theta: number): Tilt {
  const { weights, counts, rate } = law
  const on = new Float64Array(weights.length)
  const off = new Float64Array(weights.length)
  let mean = 0
  let variance = 0
  for (let g = 0; g < weights.length; g++) {
    const w = weights[g]!
    on[g] = 1 / (1 + ((1 - rate) / rate) * Math.exp(-theta * w))
    off[g] = 1 / (1 + (rate / (1 - rate)) * Math.exp(theta * w))
    mean += counts[g]! * w * on[g]!
    variance += counts[g]! * w * w * on[g]! * off[g]!
  }
  return { theta, on, off, mean, variance }
}

/**
 * The tilt θ >= 0 whose mean is `sum`, to a hundredth of a standard deviation (any θ is exact; the best one is only
 * the best conditioned), or θ = 0 where the sum is below the mean already. Newton's method, kept inside a bracket. 0
 * < rate < 1, sum < total.
 */
export function saddle(law: WeightedBernoulli, sum: number): Tilt {
  let at = tilt(law, 0)
  if (at.mean >= sum) return at
  let low = 0
  let high = Number.POSITIVE_INFINITY
  for (let step = 0; step < 200 && Math.abs(at.mean - sum) > 0.01 * Math.sqrt(at.variance); step++) {
    if (at.mean < sum) low = at.theta
    else high = at.theta
    let next = at.theta + (sum - at.mean) / at.variance
    const ceiling = high === Number.POSITIVE_INFINITY ? 2 * low + 4 / law.weights[0]! : high
    if (!(next > low && next < ceiling)) next = high === Number.POSITIVE_INFINITY ? ceiling : (low + high) / 2
    at = tilt(law, next)
  }
  return at
}

/** ln E e^(θ(X - sum)), from whichever of the two forms of each factor has the smaller logarithm. */
export function logScale(law: WeightedBernoulli, { theta, on, off }: Tilt, sum: number): number {
  let log = 0
  let ones = -sum
  for (let g = 0; g < law.weights.length; g++) {
    const count = law.counts[g]!
    if (on[g]! > 0.5) {
      log += count * (Math.log(law.rate) - Math.log1p(-off[g]!))
      ones += count * law.weights[g]!
    } else log += count * (Math.log1p(-law.rate) - Math.log1p(-on[g]!))
  }
  return log + theta * ones
}
