/**
 * The tail of a sum of independent scores from the law of one, by plain convolution: an oracle for p-values that shares nothing
 * with how detectors compute them.
 *
 * Under the tilt e^(θx), P(S >= s) = E e^(θ(S - s)) · sum over x >= s of e^(-θ(x - s)) P~(S = x). The first factor carries all of the
 * smallness and is a sum of logarithms; the rest is of the order of the tilted law itself, whose n-fold convolution is the n-th
 * power of its Fourier transform. So a probability of 1e-300 has as many digits as one of 1/2.
 */
import { fourier } from './fourier.ts'
import type { ScoreGrid, TiltedGrid } from './score-grid.ts'

/** `copies` scores that each count `times` times. */
export interface Term {
  readonly times: number
  readonly copies: number
}

/** Sums further from the mean than this many standard deviations plus widths of a score are left out. */
const DEVIATIONS = 13
const WIDTHS = 3
/** Transforms below e^-QUIET are left out. */
const QUIET = 80
/** Steeper tilts leave nothing but the largest score. */
const STEEPEST = 64

/** The sum under a tilt, in steps of the grid. */
export interface TiltedSum {
  /** ln E e^(θS). */
  readonly logScale: number
  readonly mean: number
  readonly variance: number
  /** Of each term, one score. */
  readonly laws: readonly TiltedGrid[]
}

function momentsOf({ first, masses }: TiltedGrid): { mean: number; variance: number } {
  let mean = 0
  for (let k = 0; k < masses.length; k++) mean += masses[k]! * k
  let variance = 0
  for (let k = 0; k < masses.length; k++) variance += masses[k]! * (k - mean) ** 2
  return { mean: first + mean, variance }
}

/** The sum under the tilt e^(θS). */
export function tiltedSum(grid: ScoreGrid, terms: readonly Term[], theta: number): TiltedSum {
  const laws = terms.map(({ times }) => grid.tilted(theta * times))
  let [logScale, mean, variance] = [0, 0, 0]
  for (const [i, { times, copies }] of terms.entries()) {
    const one = momentsOf(laws[i]!)
    logScale += copies * laws[i]!.logScale
    mean += copies * times * one.mean
    variance += copies * times * times * one.variance
  }
  return { logScale, mean, variance, laws }
}

/**
 * The tilt θ >= 0 under which the mean of the sum has a tail of about e^-depth, or the steepest if no sum is
 * that rare.
 */
export function tiltFor(grid: ScoreGrid, terms: readonly Term[], depth: number): number {
  if (depth === 0) return 0
  const rarity = (theta: number): number => {
    const { logScale, mean } = tiltedSum(grid, terms, theta)
    return theta * mean - logScale
  }
  let [low, high] = [0, 1 / grid.top]
  while (rarity(high) < depth && high < STEEPEST) [low, high] = [high, 2 * high]
  for (let step = 0; step < 10; step++) {
    const middle = (low + high) / 2
    if (rarity(middle) < depth) low = middle
    else high = middle
  }
  return low
}

/** Multiplies a transform, of something real, by the transform of `copies` scores. */
function multiplyPower(
  re: Float64Array,
  im: Float64Array,
  { masses }: TiltedGrid,
  { times, copies }: Term,
): void {
  const size = re.length
  const x = new Float64Array(size)
  const y = new Float64Array(size)
  for (let k = 0; k < masses.length; k++) x[(k * times) % size]! += masses[k]!
  fourier(x, y)
  const loud = Math.exp((-2 * QUIET) / copies)
  for (let j = 0; 2 * j <= size; j++) {
    const square = x[j]! * x[j]! + y[j]! * y[j]!
    const modulus = square > loud ? Math.exp((copies / 2) * Math.log(square)) : 0
    const angle = modulus > 0 ? copies * Math.atan2(y[j]!, x[j]!) : 0
    const c = modulus * Math.cos(angle)
    const s = modulus * Math.sin(angle)
    const real = re[j]! * c - im[j]! * s
    im[j] = re[j]! * s + im[j]! * c
    re[j] = real
    // the other half is its mirror image
    if (j > 0 && 2 * j < size) {
      re[size - j] = re[j]!
      im[size - j] = -im[j]!
    }
  }
}

/** Counts the sums that there are, and those that the transform must tell apart: a measure of the work. */
export function roomFor(
  terms: readonly Term[],
  { laws, variance }: TiltedSum,
): { span: number; size: number } {
  const width = (i: number): number => terms[i]!.times * (laws[i]!.masses.length - 1)
  const span = terms.reduce((all, { copies }, i) => all + copies * width(i), 0) + 1
  const widest = terms.reduce((most, _, i) => Math.max(most, width(i)), 0)
  const room = Math.min(span, Math.ceil(2 * (DEVIATIONS * Math.sqrt(variance) + WIDTHS * widest)) + 3)
  return { span, size: 2 ** Math.ceil(Math.log2(Math.max(2, room))) }
}

/**
 * ln P(sum of times * score >= sum), with the sum in steps of the grid, an integer. Exact whatever the tilt; best near the
 * one whose mean is the sum.
 */
export function convolvedTail(
  grid: ScoreGrid,
  terms: readonly Term[],
  sum: number,
  theta: number,
  tilted: TiltedSum = tiltedSum(grid, terms, theta),
): number {
  const { logScale, mean, laws } = tilted
  const lowest = terms.reduce((low, { times, copies }, i) => low + times * copies * laws[i]!.first, 0)
  const { span, size } = roomFor(terms, tilted)
  /** Sums below this are too rare to matter, or do not occur. */
  const start = size >= span ? lowest : Math.max(lowest, Math.floor(mean - size / 2))
  const re = new Float64Array(size).fill(1)
  const im = new Float64Array(size)
  for (const [i, term] of terms.entries()) multiplyPower(re, im, laws[i]!, term)
  // the inverse transform is the transform read backwards, over the size
  fourier(re, im)
  const place = (x: number): number => (size - ((x - lowest) % size)) % size
  let tail = 0
  for (let x = Math.max(sum, start); x < start + size && theta * (x - sum) < QUIET; x++) {
    const mass = Math.max(0, re[place(x)]!) / size
    tail += (x === sum ? grid.atom : 1) * Math.exp(-theta * (x - sum)) * mass
  }
  return Math.min(0, logScale - theta * sum + Math.log(tail))
}
