/** Scores that a law of one score could have made, and whose sum is about as rare as asked for. */
import { type Stream, shuffled } from '../../../core/keys/index.ts'
import { smallest } from '../../../core/stats/index.ts'
import { type Term, tiltedSum, tiltFor } from '../engine/convolved-tail.ts'
import { termsOf } from './evidence.ts'
import type { OneScoreLaw } from './score-laws.ts'

/** -ln of the smallest p-values that are asked for: below 1e-300. */
export const DEEPEST = 700
/** Rarer sums than this are not followed: the law of one score ends somewhere. */
const TOO_DEEP = DEEPEST + 20

export interface TiltedScores {
  /** Scores, in steps of the first grid; integers where scores lie on it. */
  readonly steps: Float64Array
  /** The sum of times * score, in steps. */
  readonly sum: number
  readonly theta: number
  readonly terms: readonly Term[]
}

/** The k with masses[0] + ... + masses[k] just above a share u of all. */
function quantileOf(masses: Float64Array): (u: number) => number {
  const below = masses.slice()
  for (let k = 1; k < below.length; k++) below[k]! += below[k - 1]!
  const total = below[below.length - 1]!
  return (u) => smallest((k) => below[k]! > u * total, -1, below.length - 1)
}

/** n numbers in (0, 1), one in each n-th part, in random order: what is drawn with them has hardly any spread. */
const stratified = (n: number, stream: Stream): Float64Array =>
  shuffled(
    Float64Array.from({ length: n }, (_, i) => (i + stream.uniform()) / n),
    stream,
  )

/**
 * Moves scores of the first half of the text up, off the grid, and scores of the second half down by as much: their sum stays, and
 * a detector that adds them up in fewer bits gets another one.
 */
function offGrid(steps: Float64Array, times: Int32Array, { uniform }: Stream): Float64Array {
  const out = steps.slice()
  const half = out.length >> 1
  for (let i = 0; i < half; i++) {
    const by = uniform() / 2
    if (times[i] !== times[half + i] || out[half + i]! < 1) continue
    out[i]! += by
    out[half + i]! -= by
  }
  return out
}

/**
 * One score for each entry of `times`, under the tilt at which the sum of times * score has a tail of about e^-depth.
 */
export function tiltedScores(
  law: OneScoreLaw,
  times: Int32Array,
  depth: number,
  stream: Stream,
): TiltedScores {
  const { grids, search, rough } = law
  const terms = termsOf(times)
  const found = tiltFor(search, terms, depth)
  const theta = found / rough
  const quantiles = new Map(
    terms.map(({ times: count }) => {
      const { first, masses } = grids[0]!.tilted(theta * count)
      const quantile = quantileOf(masses)
      return [count, (u: number) => first + quantile(u)]
    }),
  )
  const places = stratified(times.length, stream)
  const steps = Float64Array.from(times, (count, i) => quantiles.get(count)!(places[i]!))
  const sum = steps.reduce((total, k, i) => total + k * times[i]!, 0)
  // Chernoff's bound, which is close enough
  const rarity = theta * sum - tiltedSum(search, terms, found).logScale
  return rarity <= TOO_DEEP
    ? { steps: law.continuous ? offGrid(steps, times, stream) : steps, sum, theta, terms }
    : tiltedScores(law, times, Math.floor(0.7 * depth), stream)
}
