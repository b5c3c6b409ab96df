/** The law of one score on a grid of equal steps, under any exponential tilt: what sums of scores need. */

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

/** Cells of the finest grid are divided until Simpson's rule is this good, in steps, or there are as many panels. */
const QUADRATURE = 1e-9
const MOST_PANELS = 64

/** ln T at the ends and middles of the panels of one cell. */
function panelsOf(logTail: (x: number) => number, cell: number, divided: boolean): Float64Array {
  const at = (panels: number): Float64Array =>
    Float64Array.from({ length: 2 * panels + 1 }, (_, i) => logTail(cell + i / (2 * panels)))
  const integral = (logs: Float64Array): number => {
    let sum = 0
    for (let i = 0; i + 2 < logs.length; i += 2)
      sum += Math.exp(logs[i]!) + 4 * Math.exp(logs[i + 1]!) + Math.exp(logs[i + 2]!)
    return sum / (3 * (logs.length - 1))
  }
  let logs = at(1)
  if (!divided) return logs
  for (let panels = 2; panels <= MOST_PANELS; panels *= 2) {
    const finer = at(panels)
    if (Math.abs(integral(finer) - integral(logs)) < QUADRATURE) break
    logs = finer
  }
  return logs
}

/**
 * A grid over a continuous law with tail T on [0, top step], what lies beyond counted as the end. The tilted mass of a cell,
 * the integral of e^(θx) dF = e^(θa) T(a) - e^(θb) T(b) + θ ∫ e^(θx) T(x) dx (Simpson's rule), goes to the cell's two ends so that its
 * mean stays where it is. What is left is an error in the variance of one score, at most step^2 / 4: of second order in the step.
 * @param divided true if T is smooth: cells in which it bends much are divided for the integral
 */
export function smoothGrid(
  logTail: (score: number) => number,
  step: number,
  top: number,
  divided = false,
): ScoreGrid {
  // an atom at 0 is no part of the first cell
  const log = (x: number): number => Math.min(0, logTail(x === 0 ? Number.MIN_VALUE : x * step))
  const cells = Array.from({ length: top }, (_, k) => panelsOf(log, k, divided))
  const atZero = -Math.expm1(cells[0]![0]!)
  return {
    step,
    atom: 0.5,
    top,
    tilted(theta) {
      const most = cells.reduce(
        (high, logs, k) => Math.max(high, logs[0]! + theta * k),
        log(top) + theta * top,
      )
      const masses = new Float64Array(top + 1)
      masses[0] = atZero * Math.exp(-most)
      masses[top] = Math.exp(log(top) + theta * top - most)
      for (let k = 0; k < top; k++) {
        const logs = cells[k]!
        // the tilt may lift the end of a cell above its beginning
        if (logs[0]! + theta * (k + 1) < most - FAINT) continue
        const { mass, moment } = tiltedCell(logs, theta, theta * k - most)
        masses[k]! += Math.max(0, mass - moment)
        masses[k + 1]! += Math.max(0, moment)
      }
      const { first, masses: kept, logScale } = normalised(masses.map(Math.log))
      return { first, masses: kept, logScale: logScale + most }
    },
  }
}

/** ∫ e^(θx) dF and ∫ x e^(θx) dF over a cell, x in steps from its beginning, times e^shift. */
function tiltedCell(logs: Float64Array, theta: number, shift: number): { mass: number; moment: number } {
  const width = 2 / (logs.length - 1)
  let [mass, moment] = [0, 0]
  let a = Math.exp(logs[0]! + shift)
  for (let i = 0; i + 2 < logs.length; i += 2) {
    const u = (i / 2) * width
    const middle = Math.exp(logs[i + 1]! + theta * (u + width / 2) + shift)
    const b = Math.exp(logs[i + 2]! + theta * (u + width) + shift)
    mass += a - b + (theta * width * (a + 4 * middle + b)) / 6
    moment += u * a - (u + width) * b
    moment +=
      (width *
        ((1 + theta * u) * a + 4 * (1 + theta * (u + width / 2)) * middle + (1 + theta * (u + width)) * b)) /
      6
    a = b
  }
  return { mass, moment }
}

/** The grid of twice the step over the same law: masses between two of its points go to both, so that their mean stays. */
export function coarser(grid: ScoreGrid): ScoreGrid {
  return {
    step: 2 * grid.step,
    atom: grid.atom,
    top: Math.ceil(grid.top / 2),
    tilted(theta) {
      const { first, masses, logScale } = grid.tilted(theta / 2)
      const start = Math.floor(first / 2)
      const out = new Float64Array(Math.ceil((first + masses.length - 1) / 2) - start + 1)
      for (const [k, mass] of masses.entries()) {
        const place = (first + k) / 2 - start
        out[Math.floor(place)]! += mass / 2
        out[Math.ceil(place)]! += mass / 2
      }
      return { first: start, masses: out, logScale }
    },
  }
}
