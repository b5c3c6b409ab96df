import { integer, number, outOfRange } from '../input.ts'
import { type LatticeTilt, latticeLogScale, latticeSaddle, roughLatticeLogScale } from './lattice-tilt.ts'
import { type TiltedSum, tiltedTail, turn } from './tilted-tail.ts'
import { truncatedPower } from './truncated-power.ts'

/**
 * ln P(X1 + ... + Xn >= sum) for independent Xi on {0, ..., d} with P(Xi = x) = pmf[x], exact to a relative error of
 * about 1e-12 in the probability.
 *
 * @example logLatticeTail([1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6], 10, 2) // two dice (counted from 0): 12 exactly, ln 1/36 = -3.58
 */
export function logLatticeTail(pmf: ArrayLike<number>, sum: number, n: number): number {
  integer('sum', sum, Number.MIN_SAFE_INTEGER)
  integer('n', n, 0)
  const { masses, low, step } = lattice(pmf)
  const at = Math.ceil((sum - n * low) / step)
  const top = masses.length - 1
  if (at <= 0) return 0
  if (at > n * top) return Number.NEGATIVE_INFINITY
  if (at === n * top) return n * Math.log(masses[top]!)
  return tiltedTail(new TiltedLattice(masses, at, n))
}

/**
 * Checks a mass function and brings it to the form low + step · {0, ..., top}, both ends taken, no common divisor.
 */
function lattice(pmf: ArrayLike<number>): { masses: Float64Array; low: number; step: number } {
  let total = 0
  let low = -1
  let high = -1
  let step = 0
  for (let x = 0; x < pmf.length; x++) {
    // the name is only made where it is needed: this is called once per text
    if (!(pmf[x]! >= 0 && pmf[x]! <= 1)) number(`pmf[${x}]`, pmf[x], 0, 1)
    total += pmf[x]!
    if (pmf[x]! === 0) continue
    if (low < 0) low = x
    high = x
    if (step !== 1) step = divisor(step, x - low)
  }
  if (!(Math.abs(total - 1) <= 1e-9)) throw outOfRange('pmf', 'masses that sum to 1', total)
  if (step === 0) step = 1
  const masses = new Float64Array((high - low) / step + 1)
  for (let i = 0; i < masses.length; i++) masses[i] = pmf[low + i * step]! / total
  return { masses, low, step }
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
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

  /** The masses are kept up to the window's end, counted from the nearer end of the lattice. */
  private window(half: number): number {
    const total = this.n * (this.tilt.masses.length - 1)
    return Math.min(this.sum + half, total + 1, total - this.sum + 1)
  }

  work(half: number): number {
    return this.window(half) ** 2 * Math.log2(this.n + 1)
  }

  convolve(half: number): number {
    const room = this.window(half)
    const rest = this.n * (this.tilt.masses.length - 1) - this.sum
    const fromTop = room === rest + 1
    const power = truncatedPower(fromTop ? this.tilt.masses.toReversed() : this.tilt.masses, this.n, room)
    let tail = 0
    for (let s = 0; s < room; s++) {
      const beyond = fromTop ? rest - s : s - this.sum
      if (beyond >= 0 && beyond < half) tail += Math.exp(-this.theta * beyond) * power[s]!
    }
    return tail
  }
}

/**
 * (k, L) -> sum of masses[x] e^(2πik(x - centre)/L). Cut into blocks, e^(it(32a+b)) = e^(it32a) e^(itb), so that 32
 * sines serve 32 masses and every angle is reduced exactly before it is rounded.
 */
function transformer(masses: Float64Array, centre: number): (k: number, size: number) => [number, number] {
  const block = 32
  const cos = new Float64Array(block)
  const sin = new Float64Array(block)
  const padded = new Float64Array(block * Math.ceil(masses.length / block))
  padded.set(masses)
  return (k, size) => {
    for (let b = 0; b < block; b++) {
      const angle = turn(k * b, size)
      cos[b] = Math.cos(angle)
      sin[b] = Math.sin(angle)
    }
    let re = 0
    let im = 0
    for (let from = 0; from < masses.length; from += block) {
      // even and odd masses apart: an addition need not wait for the one before it
      let x = 0
      let y = 0
      let x1 = 0
      let y1 = 0
      for (let b = 0; b < block; b += 2) {
        const mass = padded[from + b]!
        const mass1 = padded[from + b + 1]!
        x += mass * cos[b]!
        y += mass * sin[b]!
        x1 += mass1 * cos[b + 1]!
        y1 += mass1 * sin[b + 1]!
      }
      x += x1
      y += y1
      const angle = turn(k * (from - centre), size)
      const c = Math.cos(angle)
      const s = Math.sin(angle)
      re += x * c - y * s
      im += x * s + y * c
    }
    return [re, im]
  }
}
