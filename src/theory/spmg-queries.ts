/**
 * The number of generations per prompt that it takes to find a drift of a given size with DetWmk.
 *
 * Let the true means of the metric differ by `drift` on average over n prompts, |metric| <= A, and let sigma be the root mean square over
 * prompts of its standard deviation. E|M_i - T_i| >= |E M_i - E T_i|, and E|M_i - M'_i| <= sigma_i sqrt(2/m), so
 * E DetWmk >= drift - sigma sqrt(2/m). McDiarmid bounds how far DetWmk falls below its mean (constant 12: all three sets vary), the sharper
 * threshold is 2A sqrt(ln(1/alpha)/(mn)), and DetWmk passes it with the wanted power once
 *
 *   drift sqrt(m) >= sigma sqrt(2) + A (2 sqrt(ln(1/alpha)) + sqrt(12 ln(1/(1 - power)))) / sqrt(n).
 */

import { seededRandom } from '../core/keys/index.ts'
import { integer, number, requireOptions } from '../input.ts'

/** A drift to find, and how surely. */
export interface SpmgQueriesOptions {
  readonly prompts: number
  /** A: the metric lies in [-A, A]; half its range does. */
  readonly bound: number
  /** The mean over prompts of the distance between the true means. */
  readonly drift: number
  /** Standard deviation of the metric within a prompt; default `bound`, the largest possible. */
  readonly deviation?: number
  /** Level of the test; default 5%. */
  readonly alpha?: number
  /** Default 80%. */
  readonly power?: number
}

function check(options: SpmgQueriesOptions) {
  requireOptions('spmgQueries', options, ['prompts', 'bound', 'drift', 'deviation', 'alpha', 'power'])
  const { alpha = 0.05, power = 0.8 } = options
  const bound = number('bound', options.bound, 0, Number.MAX_VALUE, true)
  return {
    prompts: integer('prompts', options.prompts, 1),
    bound,
    drift: number('drift', options.drift, 0, Number.MAX_VALUE, true),
    deviation: number('deviation', options.deviation ?? bound, 0, bound),
    alpha: number('alpha', alpha, 0, 1, true),
    power: number('power', power, 0, 1, true),
  }
}

/**
 * Generations per prompt after which DetWmk passes the sharper threshold with the wanted power: a guarantee, whatever the law of the metric.
 * @example spmgQueries({ prompts: 10, bound: 0.5, drift: 0.1 }) // 380
 */
export function spmgQueries(options: SpmgQueriesOptions): number {
  const { prompts, bound, drift, deviation, alpha, power } = check(options)
  const level = 2 * Math.sqrt(Math.log(1 / alpha))
  const reach = Math.sqrt(12 * Math.log(1 / (1 - power)))
  const root = (deviation * Math.SQRT2 + (bound * (level + reach)) / Math.sqrt(prompts)) / drift
  return Math.max(1, Math.ceil(root ** 2))
}

/** Draws standard normal numbers by Box and Muller. */
function normals(count: number, seed: number | string): Float64Array {
  const stream = seededRandom(seed, 'normals')
  const out = new Float64Array(count + 1)
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(stream.uniform()))
    const angle = 2 * Math.PI * stream.uniform()
    out[i] = radius * Math.cos(angle)
    out[i + 1] = radius * Math.sin(angle)
  }
  return out.subarray(0, count)
}

/** Computes DetWmk of simulated prompt means with standard deviation 1, T's shifted by `shift`, one value per trial. */
function simulate(values: Float64Array, trials: number, prompts: number, shift: number): Float64Array {
  const out = new Float64Array(trials)
  for (let trial = 0, at = 0; trial < trials; trial++) {
    let total = 0
    for (let i = 0; i < prompts; i++, at += 3) {
      const m = values[at]!
      total += Math.abs(m - values[at + 1]! - shift) - Math.abs(m - values[at + 2]!)
    }
    out[trial] = total / prompts
  }
  return out
}

/** Normal numbers of a simulation, at most. */
const MAX_NORMALS = 600_000

/** Returns the shift, in standard deviations of a prompt's mean, at which the test of DetWmk at level alpha has the wanted power. */
function shiftFound(prompts: number, alpha: number, power: number): number {
  const trials = Math.max(400, Math.min(20_000, Math.floor(MAX_NORMALS / (3 * prompts))))
  const values = normals(3 * prompts * trials, 'spmg queries')
  const threshold = simulate(values, trials, prompts, 0).sort()[Math.ceil((1 - alpha) * trials) - 1]!
  const reaches = (shift: number): boolean =>
    simulate(values, trials, prompts, shift).filter((d) => d > threshold).length >= power * trials
  let [low, high] = [0, 1]
  while (!reaches(high)) [low, high] = [high, 2 * high]
  for (let i = 0; i < 12; i++) {
    const middle = (low + high) / 2
    if (reaches(middle)) high = middle
    else low = middle
  }
  return high
}

const shifts = new Map<string, number>()

/**
 * Estimates the generations per prompt at which the permutation test has the wanted power, as opposed to a guarantee, when prompt means are
 * normal with the given deviation and every prompt drifts by `drift`. In units of deviation / sqrt(m) only the shift
 * r = drift sqrt(m) / deviation matters; it is found by simulation, and m = (r deviation / drift)^2.
 */
export function expectedSpmgQueries(options: SpmgQueriesOptions): number {
  const { prompts, drift, deviation, alpha, power } = check(options)
  const name = `${prompts} ${alpha} ${power}`
  const shift = shifts.get(name) ?? shiftFound(prompts, alpha, power)
  shifts.set(name, shift)
  return Math.max(1, Math.ceil(((shift * deviation) / drift) ** 2))
}
