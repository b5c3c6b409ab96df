import { integer } from '../../../input.ts'
import { realValues } from '../real-values.ts'
import { convolutionWork, convolvedTail } from './lattice-convolution.ts'
import { latticeForm } from './lattice-form.ts'
import { type LatticeTilt, latticeLogScale, latticeSaddle, roughLatticeLogScale } from './lattice-tilt.ts'
import { transformer } from './lattice-transform.ts'
import { type TiltedSum, tiltedTail, turn } from './tilted-tail.ts'

/**
 * ln P(X1 + ... + Xn >= sum) for independent Xi on {0, ..., d} with P(Xi = x) = pmf[x], exact to a relative error of
 * about 1e-12 in the probability.
 *
 * @example logLatticeTail([1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6], 10, 2) // two dice (counted from 0): 12 exactly, ln 1/36 = -3.58
 */
export function logLatticeTail(pmf: ArrayLike<number>, sum: number, n: number): number {
  realValues('pmf', pmf)
  integer('sum', sum, Number.MIN_SAFE_INTEGER)
  integer('n', n, 0, 2 ** 32) // the work grows with its square root
  const { masses, low, step } = latticeForm(pmf)
  const at = Math.ceil((sum - n * low) / step)
  const top = masses.length - 1
  if (at <= 0) return 0
  if (at > n * top) return Number.NEGATIVE_INFINITY
  if (at === n * top) return n * Math.log(masses[top]!)
  return tiltedTail(new TiltedLattice(masses, at, n))
}

/** n copies of a lattice variable under the saddle-point tilt, as `tiltedTail` wants it. */
class TiltedLattice implements TiltedSum {
  readonly theta: number
  readonly logScale: number
  readonly sd: number
  readonly span: number
  private readonly n: number
  private readonly sum: number
  private readonly tilt: LatticeTilt
  private readonly transform: (k: number, size: number) => [re: number, im: number]

  constructor(masses: Float64Array, sum: number, n: number) {
    this.n = n
    this.sum = sum
    this.tilt = latticeSaddle(masses, sum / n)
    this.theta = this.tilt.theta
    this.logScale =
      n * latticeLogScale(masses, this.theta, this.tilt.centre) - this.theta * (sum - n * this.tilt.centre)
    this.sd = Math.sqrt(n * this.tilt.variance)
    this.span = Math.max(sum, n * (masses.length - 1) - sum) + 1
    this.transform = transformer(this.tilt.masses, this.tilt.centre)
  }

  logMoment(h: number): number {
    const { masses, centre } = this.tilt
    // it only bounds what the window misses
    return this.n * roughLatticeLogScale(masses, h, centre) - h * (this.sum - this.n * centre)
  }

  /**
   * Two bounds on |φ(t)| of one copy: half the total variation of its masses over sin(t/2) (summation by parts),
   * which falls with t and so ends the search; and its slope, E~|x - centre|.
   */
  scan(k: number, size: number, level: number, out: Float64Array): number {
    const { variation, distance, centre } = this.tilt
    const loud = Math.exp(-level / this.n)
    if (variation < 2 * loud * Math.sin((Math.PI * k) / size)) return size
    const [re, im] = this.transform(k, size)
    const modulus = Math.hypot(re, im)
    if (modulus < loud) return 1 + Math.floor(((loud - modulus) / distance) * (size / (2 * Math.PI)))
    out[0] = this.n * Math.log(modulus)
    out[1] = this.n * Math.atan2(im, re) - turn((this.sum - this.n * centre) * k, size)
    return 0
  }

  work(half: number): number {
    return convolutionWork(this.tilt.masses.length - 1, this.n, this.sum, half)
  }

  convolve(half: number): number {
    return convolvedTail(this.tilt.masses, this.n, this.sum, this.theta, half)
  }
}
