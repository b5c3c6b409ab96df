/**
 * Exact upper tails of sums of independent whole-number variables, in the far tail as well as in the middle.
 *
 * Under the exponential tilt P~(X = s) = P(X = s) e^(θ(s-S)) / E e^(θ(X-S)), with θ such that the tilted mean is S,
 *   P(X >= S) = E e^(θ(X-S)) · sum over j >= 0 of e^(-θj) P~(X = S+j).
 * The first factor is a closed form and carries all of the smallness; the sum is of the order of one over the tilted
 * standard deviation, so float64 resolves it to the last digits. It comes either from the masses themselves
 * (`convolve`: only positive terms, for small sums), or from the transform Φ(k) = E~ e^(2πik(X-S)/L) by the discrete
 * inversion formula, in which the sum over j < L/2 is geometric:
 *   1/L · sum over k of Φ(k) (1 - (-1)^k e^(-θL/2)) / (1 - e^(-θ-2πik/L)).
 * That is the FFT method without the FFT: nearly all Φ(k) are too small to matter, and a law can often show it for a
 * whole stretch of k at once. What the window of L values misses is at most P~(|X-S| >= L/2), bounded by Chernoff's
 * inequality and compared with the result. If the terms cancel (S far from any value that X takes), the masses are
 * convolved after all.
 */
export interface TiltedSum {
  /** At least 0. */
  readonly theta: number
  /** ln E e^(θ(X-S)), under the law itself. */
  readonly logScale: number
  /** Standard deviation of the tilted sum. */
  readonly sd: number
  /** |X - S| is always below this. */
  readonly span: number
  /** ln E~ e^(h(X-S)). */
  logMoment(h: number): number
  /**
   * Either writes [ln |Φ(k)|, arg Φ(k)] to `out` and returns 0, or returns for how many frequencies from k on, k
   * included, it is certain that ln |Φ| < -level.
   */
  scan(k: number, size: number, level: number, out: Float64Array): number
  /** Number of multiplications of `convolve(half)`. */
  work(half: number): number
  /** The sum of e^(-θj) P~(X = S+j) over 0 <= j < half, from the masses. */
  convolve(half: number): number
}

/** Up to this many multiplications the masses are convolved at once: about a tenth of a millisecond. */
const MAX_WORK = 2e5
/** The share of the tail that may lie outside the window. */
const MAX_MISSED = 1e-13
/** Terms of the inversion below e^-36 of the largest are left out: all of them together are below 1e-14 of the sum of all. */
export const LEVEL = 36
/** The inversion's rounding errors may grow by this factor through cancellation. */
const MAX_CANCELLATION = 100

/** ln P(X >= S). */
export function tiltedTail(law: TiltedSum): number {
  const ends = -Math.log(MAX_MISSED / (4 * Math.max(1, law.sd)))
  let half = Math.ceil(law.sd * Math.sqrt(2 * ends)) + 1
  for (;;) {
    half = Math.min(half, law.span)
    const missed = half === law.span ? 0 : outside(law, half, ends)
    if (missed <= Math.exp(-ends)) {
      const sum = law.work(half) <= MAX_WORK ? law.convolve(half) : (invert(law, half) ?? law.convolve(half))
      if (missed <= MAX_MISSED * sum) return Math.min(0, law.logScale + Math.log(sum))
    }
    half = Math.ceil(1.25 * half)
  }
}

/**
 * A bound on P~(|X-S| >= half): Chernoff's, at the normal law's best h and, until that is good enough, at smaller
 * ones.
 */
function outside(law: TiltedSum, half: number, ends: number): number {
  let best = 1
  for (let h = half / law.sd ** 2, tries = 0; tries < 6 && best > Math.exp(-ends); h /= 2, tries++) {
    best = Math.min(best, Math.exp(law.logMoment(h) - h * half) + Math.exp(law.logMoment(-h) - h * half))
  }
  return best
}

/** The inversion formula over 2 · half values; undefined where its terms cancel too much to be trusted. */
function invert(law: TiltedSum, half: number): number | undefined {
  const size = 2 * half
  const out = new Float64Array(2)
  const decay = Math.exp(-law.theta)
  const even = -Math.expm1(-law.theta * half)
  const gap = -Math.expm1(-law.theta)
  const first = law.theta === 0 ? half : even / gap
  let sum = first
  let absolute = first
  for (let k = 1; k <= half; ) {
    const quiet = law.scan(k, size, LEVEL, out)
    if (quiet > 0) {
      k += quiet
      continue
    }
    const angle = (Math.PI * k) / half
    // 1 - e^(-θ-iα) = re + i·im
    const re = gap + 2 * decay * Math.sin(angle / 2) ** 2
    const im = decay * Math.sin(angle)
    const twice = k === half ? 1 : 2
    const length =
      (twice * Math.exp(out[0]!) * (k % 2 === 0 ? even : 2 - even)) / Math.sqrt(re * re + im * im)
    sum += length * Math.cos(out[1]! - Math.atan2(im, re))
    absolute += length
    k++
  }
  return sum * MAX_CANCELLATION > absolute ? sum / size : undefined
}

/** The angle 2π · steps / size, reduced exactly before it is rounded. */
export function turn(steps: number, size: number): number {
  // the remainder of floating-point numbers is slow, and most often there is nothing to take away
  return (2 * Math.PI * (Math.abs(steps) < size ? steps : steps % size)) / size
}
