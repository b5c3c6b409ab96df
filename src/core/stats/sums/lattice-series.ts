import { latticeForm } from './lattice-form.ts'
import { transformer } from './lattice-transform.ts'

/** Terms of the series, and how large its argument may be: 7^48 / 48! is 3e-21. */
const TERMS = 48
export const MAX_ARGUMENT = 7
/** From this argument on the transform is known to be small. */
const FAR = 6

/**
 * F(z) = E e^(z (X - centre) / reach) of a lattice variable, as its Taylor series: for sums of many copies everything happens
 * at small z, where a few dozen moments, found once, stand for any number of masses.
 */
export class LatticeSeries {
  readonly masses: Float64Array
  readonly low: number
  readonly step: number
  readonly centre: number
  /** |X - centre| is at most this. */
  readonly reach: number
  /** Bounds ln |E e^((theta + it)(X - centre)) / E e^(theta (X - centre))| over all t from `farFrequency` to pi. */
  readonly logFar: (theta: number) => number
  private readonly coefficients = new Float64Array(TERMS)

  /** @param logFar a better bound than the general one, made for this law */
  constructor(pmf: ArrayLike<number>, logFar?: (farFrequency: number) => (theta: number) => number) {
    const { masses, low, step } = latticeForm(pmf)
    this.masses = masses
    this.low = low
    this.step = step
    const top = masses.length - 1
    this.centre = Math.round(masses.reduce((sum, mass, x) => sum + mass * x, 0))
    this.reach = Math.max(1, this.centre, top - this.centre)
    const powers = masses.slice()
    for (let j = 0; j < TERMS; j++) {
      this.coefficients[j] = powers.reduce((sum, power) => sum + power, 0)
      for (let x = 0; x <= top; x++) powers[x]! *= (x - this.centre) / this.reach / (j + 1)
    }
    this.logFar = logFar?.(this.farFrequency) ?? this.generalBound()
  }

  /** With f = e^(theta Y): |E f e^(itY)| <= E f |E e^(itY)| + E|f - E f|, the last by Cauchy and Schwarz. */
  private generalBound(): (theta: number) => number {
    const far = [1 / 6, 2 / 9, 1 / 4, 1 / 3, 1 / 2].find((bound) => this.staysBelow(bound)) ?? 1
    const at = new Float64Array(3)
    return (theta) => {
      this.real(2 * theta * this.reach, at)
      const twice = at[0]!
      this.real(theta * this.reach, at)
      return Math.log(far + Math.sqrt(Math.max(0, twice / at[0]! ** 2 - 1)))
    }
  }

  /**
   * Returns whether the transform stays below a bound from FAR on. It is looked at on a grid, and its slope is at most E|X - centre|: a
   * small value stays small for a while.
   */
  private staysBelow(bound: number): boolean {
    const { masses, centre, reach } = this
    const slope = masses.reduce((sum, mass, x) => sum + mass * Math.abs(x - centre), 0)
    const size = 2 ** Math.ceil(Math.log2(64 * (1 + slope)))
    const transform = transformer(masses, centre)
    const perStep = (2 * Math.PI * slope) / size
    for (let k = Math.floor((FAR / reach / (2 * Math.PI)) * size); 2 * k <= size; ) {
      const modulus = Math.hypot(...transform(k, size))
      if (!(modulus + perStep < bound)) return false
      k += Math.floor((bound - modulus) / perStep)
    }
    return true
  }

  /** Writes [F, F', F''] at a real z, |z| <= MAX_ARGUMENT. */
  real(z: number, out: Float64Array): void {
    let value = 0
    let first = 0
    let second = 0
    for (let j = this.terms(Math.abs(z)) - 1; j >= 0; j--) {
      second = second * z + 2 * first
      first = first * z + value
      value = value * z + this.coefficients[j]!
    }
    out[0] = value
    out[1] = first
    out[2] = second
  }

  /** Writes the real and imaginary part of F(x + iy), |x + iy| <= MAX_ARGUMENT. */
  complex(x: number, y: number, out: Float64Array): void {
    let re = 0
    let im = 0
    for (let j = this.terms(Math.sqrt(x * x + y * y)) - 1; j >= 0; j--) {
      const next = re * x - im * y + this.coefficients[j]!
      im = re * y + im * x
      re = next
    }
    out[0] = re
    out[1] = im
  }

  /** The number of terms that matter: the rest is below 1e-19. */
  private terms(modulus: number): number {
    return Math.min(TERMS, 20 + Math.ceil(4 * modulus))
  }

  /** From this frequency on `logFar` holds. */
  get farFrequency(): number {
    return FAR / this.reach
  }
}
