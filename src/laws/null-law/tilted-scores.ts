/** Scores that a law of one score could have made, and whose sum is about as rare as asked for. */
import type { Stream } from '../../keys/index.ts'
import { type Term, tiltedSum, tiltFor } from '../engine/convolved-tail.ts'
import { termsOf } from './evidence.ts'
import type { OneScoreLaw } from './score-laws.ts'

/** -ln of the smallest p-values that are asked for. */
export const DEEPEST = 690
/** Rarer sums than this are not followed: the law of one score ends somewhere. */
const TOO_DEEP = DEEPEST + 25

export interface TiltedScores {
  /** Scores, in steps of the first grid; whole numbers where scores lie on it. */
  readonly steps: Float64Array
  /** The sum of times * score, in steps. */
  readonly sum: number
  readonly theta: number
  readonly terms: readonly Term[]
}

/** Draws k with probability masses[k]. */
function sampler(masses: Float64Array, { uniform }: Stream): () => number {
  const below = masses.slice()
  for (let k = 1; k < below.length; k++) below[k]! += below[k - 1]!
  return () => {
    const u = uniform() * below[below.length - 1]!
    let [low, high] = [0, below.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (below[middle]! > u) high = middle
      else low = middle + 1
    }
    return low
  }
}

/**
 * Moves scores of the first half of the text up, off the grid, and scores of the second half down by as much: their sum stays, and
 * whoever adds them up in fewer bits gets another one.
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
  const draws = new Map(
    terms.map(({ times: count }) => {
      const { first, masses } = grids[0]!.tilted(theta * count)
      const draw = sampler(masses, stream)
      return [count, () => first + draw()]
    }),
  )
  const steps = Float64Array.from(times, (count) => draws.get(count)!())
  const sum = steps.reduce((total, k, i) => total + k * times[i]!, 0)
  // Chernoff's bound, which is close enough
  const rarity = theta * sum - tiltedSum(search, terms, found).logScale
  return rarity <= TOO_DEEP
    ? { steps: law.continuous ? offGrid(steps, times, stream) : steps, sum, theta, terms }
    : tiltedScores(law, times, Math.floor(0.7 * depth), stream)
}
