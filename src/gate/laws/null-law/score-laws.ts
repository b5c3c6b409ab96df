/** From a declared null law to the law of one score on a grid, so that tails of many can be computed from it. */
import { smallest } from '../../../core/stats/index.ts'
import type { NullLaw } from '../../../watermark.ts'
import { hoeffding } from '../engine/bounds.ts'
import { coarser, latticeGrid, type ScoreGrid, smoothGrid } from '../engine/score-grid.ts'

export interface OneScoreLaw {
  /** One grid; three where a continuous law is approached, each of half the step of the one before. */
  readonly grids: readonly ScoreGrid[]
  /** A grid for the search of a tilt, whose step is `rough` steps of the first. */
  readonly search: ScoreGrid
  readonly rough: number
  /** The most that ln of the tail may be off because of the grid. */
  readonly slack: number
  /** True if any number may be a score, rather than multiples of the step only. */
  readonly continuous: boolean
  /** True if the true tail is at least the computed one, rather than equal to it. */
  readonly lower: boolean
}

/** Larger lattices are treated as continuous. */
const MAX_LATTICE = 2 ** 14
const MAX_CELLS = 2 ** 16
/** Tails are followed down to e^-DEEP. */
const DEEP = 780
/** Cells per standard deviation of a continuous law, on the first grid. */
const CELLS = 8
const ROUGH = 8
/** The most that a fine lattice and a continuous law may differ. */
const LATTICE_SLACK = 1e-4

/** Finds the smallest integer of at least 1 at which a falling function is at most `level`. */
function firstBelow(f: (k: number) => number, level: number): number {
  let high = 1
  while (f(high) > level && high < 2 ** 40) high *= 2
  return smallest((k) => f(k) <= level, Math.floor(high / 2), high)
}

/** The largest step, if any, of which all scores are multiples: 1, or a fraction of the smallest score. */
function commonStep(scores: Float64Array): number | undefined {
  if (scores.every(Number.isInteger)) return 1
  const values = [...new Set(scores)].filter((score) => score > 0)
  if (values.length > scores.length / 4) return undefined
  const least = Math.min(...values)
  const isMultiple = (step: number) => (score: number) => {
    const times = score / step
    return Math.abs(times - Math.round(times)) < 1e-7 * times
  }
  return Array.from({ length: 24 }, (_, parts) => least / (parts + 1)).find((step) =>
    values.every(isMultiple(step)),
  )
}

/** Returns whether the declared tail falls only at multiples of the step; a law that takes integer sums only does. */
function fallsAt(law: NullLaw, step: number, scores: Float64Array): boolean {
  const most = Math.round(scores.reduce((a, b) => Math.max(a, b)) / step)
  for (let k = 0; k <= most; k += Math.max(1, Math.floor(most / 16)))
    try {
      const [before, after] = [law.logTail((k + 1 / 4) * step, 1), law.logTail((k + 3 / 4) * step, 1)]
      if (before !== after && !(Math.abs(before - after) < 1e-9)) return false
    } catch {
      return step === 1
    }
  return true
}

/** Multiples of the step with the declared tail. */
function latticeLaw(law: NullLaw, step: number): OneScoreLaw | undefined {
  // between two multiples rounding does not matter
  const logTail = (k: number): number => law.logTail(step === 1 ? k : (k - 1 / 2) * step, 1)
  const tail = (k: number): number => (k <= 0 ? 1 : Math.exp(logTail(k)))
  const end = firstBelow(logTail, -DEEP)
  if (end <= MAX_LATTICE) {
    const grid = latticeGrid(
      Float64Array.from({ length: end }, (_, k) => tail(k) - tail(k + 1)),
      step,
    )
    return { grids: [grid], search: grid, rough: 1, slack: 0, continuous: false, lower: false }
  }
  if (step !== 1) return undefined
  // these values are as good as continuous; half of a value's mass lies on either side of it
  const cell = 2 ** Math.ceil(Math.log2((8 * end) / MAX_LATTICE))
  const middle = (x: number): number => Math.log((tail(Math.ceil(x)) + tail(Math.ceil(x) + 1)) / 2)
  return smooth(middle, cell, end, false)
}

/** Three grids over a tail that has no jumps; undefined where it has. */
function smooth(
  logTail: (x: number) => number,
  step: number,
  end: number,
  continuous: boolean,
): OneScoreLaw | undefined {
  const top = Math.ceil(end / step)
  const tail = Float64Array.from({ length: 2 * top + 1 }, (_, i) => Math.exp(logTail((i * step) / 2)))
  for (let i = 2; i < 2 * top; i += 2) {
    const [first, second] = [tail[i]! - tail[i + 1]!, tail[i + 1]! - tail[i + 2]!]
    if (first + second > 1e-3 && Math.min(first, second) < 0.02 * (first + second)) return undefined
  }
  const search = latticeGrid(
    Float64Array.from({ length: Math.ceil(top / ROUGH) }, (_, k) => {
      const next = tail[2 * ROUGH * (k + 1)] ?? 0
      return Math.max(0, (k === 0 ? 1 : tail[2 * ROUGH * k]!) - next)
    }),
    step * ROUGH,
  )
  const fine = smoothGrid(logTail, step / 4, 4 * top, continuous)
  const grids = [coarser(coarser(fine)), coarser(fine), fine]
  return { grids, search, rough: ROUGH, slack: continuous ? 0 : LATTICE_SLACK, continuous, lower: false }
}

/** A continuous law, in cells of an eighth of its spread. */
function continuousLaw(law: NullLaw, bound: number): OneScoreLaw | undefined {
  const tail = (x: number): number => law.logTail(x, 1)
  const unit = 2 ** -20
  const below = (level: number): number => unit * firstBelow((k) => tail(k * unit), level)
  const spread = (below(Math.log(0.16)) - below(Math.log(0.84))) / 2
  const end = Math.min(bound, below(-DEEP))
  const cells = Math.min(MAX_CELLS, 2 ** Math.ceil(Math.log2((CELLS * end) / spread)))
  // powers of two where they can be: then sums of scores are exact
  const step = Number.isFinite(bound) ? bound / cells : 2 ** Math.ceil(Math.log2(end / cells))
  return smooth(tail, step, end, true)
}

/** Below the true law: the sampled scores, each tail lowered by what the Dvoretzky-Kiefer-Wolfowitz inequality allows. */
function lowerLaw(scores: Float64Array, falseAlarm: number): OneScoreLaw {
  const most = scores.reduce((a, b) => Math.max(a, b))
  const step = scores.every(Number.isInteger) && most <= MAX_LATTICE ? 1 : most / 1024 || 1
  const masses = new Float64Array(Math.floor(most / step) + 1)
  for (const score of scores) masses[Math.floor(score / step)]! += 1 / scores.length
  let lost = hoeffding(scores.length, -Math.log(falseAlarm))
  for (let k = masses.length - 1; k > 0 && lost > 0; k--) {
    const taken = Math.min(lost, masses[k]!)
    masses[k]! -= taken
    masses[0]! += taken
    lost -= taken
  }
  const grid = latticeGrid(masses, step)
  return { grids: [grid], search: grid, rough: 1, slack: 0, continuous: false, lower: true }
}

/** Scores of 0 and 1 have no other law than their mean gives; undefined for other scores, or where the sample has another mean than the declared one. */
function bitLaw({ mean }: NullLaw, scores: Float64Array, falseAlarm: number): OneScoreLaw | undefined {
  const ones = scores.reduce((sum, score) => sum + score, 0)
  const off = Math.abs(ones / scores.length - mean)
  if (!scores.every((score) => score === 0 || score === 1)) return undefined
  if (off > hoeffding(scores.length, -Math.log(falseAlarm))) return undefined
  const grid = latticeGrid(Float64Array.of(1 - mean, mean), 1)
  return { grids: [grid], search: grid, rough: 1, slack: 0, continuous: false, lower: true }
}

/**
 * The law of one score that a null law declares; undefined where it can be computed neither as a lattice nor as a continuous one.
 * If the null law is only a bound, its own tail of one score is no law, and a law below the true one is taken from scores.
 */
export function oneScoreLaw(
  law: NullLaw,
  bound: number,
  scores: Float64Array,
  falseAlarm: number,
): OneScoreLaw | undefined {
  if (scores.length === 0) return undefined
  if (!law.exact) return bitLaw(law, scores, falseAlarm) ?? lowerLaw(scores, falseAlarm)
  const step = commonStep(scores)
  return step !== undefined && fallsAt(law, step, scores) ? latticeLaw(law, step) : continuousLaw(law, bound)
}
