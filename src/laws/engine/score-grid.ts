/** The law of one score on a grid of equal steps, as far as sums of scores need it: under any exponential tilt. */

/** P(score = (first + k) step) under the tilt. */
export interface TiltedGrid {
  readonly first: number
  readonly masses: Float64Array
  /** ln E e^(θ score / step). */
  readonly logScale: number
}

export interface ScoreGrid {
  readonly step: number
  /** The share of P(S = s) that belongs to P(S >= s): all of it, or half where the grid is laid over a continuous law. */
  readonly atom: 1 | 0.5
  /** The largest score, in steps. */
  readonly top: number
  /** @param theta the tilt e^(θ x), x in steps */
  tilted(theta: number): TiltedGrid
}

/** Tilted masses below e^-FAINT of the largest are left out. */
const FAINT = 58

/** Normalises masses given by logarithms of their size. */
function normalised(logs: Float64Array): TiltedGrid {
  const most = logs.reduce((a, b) => Math.max(a, b))
  const loud = (log: number): boolean => log > most - FAINT
  const first = logs.findIndex(loud)
  const masses = logs
    .subarray(first, logs.findLastIndex(loud) + 1)
    .map((log) => (loud(log) ? Math.exp(log - most) : 0))
  const total = masses.reduce((sum, mass) => sum + mass, 0)
  return { first, masses: masses.map((mass) => mass / total), logScale: most + Math.log(total) }
}

/** Scores that are multiples of `step`: P(score = k step) = masses[k]. */
export function latticeGrid(masses: Float64Array, step = 1): ScoreGrid {
  const logs = masses.map(Math.log)
  return {
    step,
    atom: 1,
    top: masses.length - 1,
    tilted: (theta) => normalised(logs.map((log, k) => log + theta * k)),
  }
}

/**
 * A grid over a continuous law with tail T on [0, top step], what lies beyond counted as the end. The tilted mass of a cell,
 * the integral of e^(θx) dF = e^(θa) T(a) - e^(θb) T(b) + θ ∫ e^(θx) T(x) dx (Simpson's rule), goes to the cell's two ends so that its
 * mean stays where it is. What is left is an error in the variance of one score, at most step^2 / 4: of second order in the step.
 */
export function smoothGrid(logTail: (score: number) => number, step: number, top: number): ScoreGrid {
  // an atom at 0 is no part of the first cell
  const logs = Float64Array.from({ length: 2 * top + 1 }, (_, i) =>
    Math.min(0, logTail(i === 0 ? Number.MIN_VALUE : (i * step) / 2)),
  )
  const atZero = -Math.expm1(logs[0]!)
  return {
    step,
    atom: 0.5,
    top,
    tilted(theta) {
      const size = logs.map((log, i) => log + (theta * i) / 2)
      const most = size.reduce((a, b) => Math.max(a, b))
      const at = (i: number): number => (size[i]! > most - FAINT ? Math.exp(size[i]! - most) : 0)
      const masses = new Float64Array(top + 1)
      masses[0] = atZero * Math.exp(-most)
      masses[top] = at(2 * top)
      for (let k = 0; k < top; k++) {
        const [a, middle, b] = [at(2 * k), at(2 * k + 1), at(2 * k + 2)]
        if (a + middle + b === 0) continue
        const mass = a - b + (theta * (a + 4 * middle + b)) / 6
        // ∫ (x - a) e^(θx) dF, in steps
        const moment = -b + (a + 4 * (1 + theta / 2) * middle + (1 + theta) * b) / 6
        masses[k]! += Math.max(0, mass - moment)
        masses[k + 1]! += Math.max(0, moment)
      }
      const { first, masses: kept, logScale } = normalised(masses.map(Math.log))
      return { first, masses: kept, logScale: logScale + most }
    },
  }
}
