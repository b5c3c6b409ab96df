import { convolvedTail } from './lattice-convolution.ts'
import { type LatticeSeries, MAX_ARGUMENT } from './lattice-series.ts'
import { LEVEL, type TiltedSum, tiltedTail, turn } from './tilted-tail.ts'

/**
 * ln P(X1 + ... + Xn >= sum) of independent copies, to the same 1e-12 as `logLatticeTail` and in a hundredth of its time; undefined
 * where the series does not reach (few copies, or a sum that is far in the tail).
 */
export function logSeriesTail(series: LatticeSeries, sum: number, n: number): number | undefined {
  const at = Math.ceil((sum - n * series.low) / series.step)
  if (!(at > 0 && at < n * (series.masses.length - 1))) return undefined
  const theta = saddle(series, at / n - series.centre)
  if (theta === undefined) return undefined
  const law = new SeriesSum(series, theta, at, n)
  return law.reaches ? tiltedTail(law) : undefined
}

/** The tilt at which X - centre has the given mean, to a thousandth of a standard deviation; 0 where it has more already. */
function saddle(series: LatticeSeries, mean: number): number | undefined {
  const { reach } = series
  const at = new Float64Array(3)
  let theta = 0
  for (let step = 0; step < 50; step++) {
    series.real(theta * reach, at)
    const found = (reach * at[1]!) / at[0]!
    const variance = (reach * reach * at[2]!) / at[0]! - found * found
    if (theta === 0 && found >= mean) return 0
    if (Math.abs(found - mean) <= 1e-3 * Math.sqrt(variance)) return theta
    theta = Math.max(0, theta + (mean - found) / variance)
    if (!(theta * reach < MAX_ARGUMENT / 2)) return undefined
  }
  return undefined
}

/** n copies under the tilt, as `tiltedTail` wants them. */
class SeriesSum implements TiltedSum {
  readonly theta: number
  readonly logScale: number
  readonly sd: number
  readonly span: number
  /** True if every value to be asked for lies where the series holds, and the rest is too small to matter. */
  readonly reaches: boolean
  private readonly series: LatticeSeries
  private readonly n: number
  private readonly sum: number
  private readonly scale: number
  /** Of one copy under the tilt, sqrt E(X - centre)^2: at least E|X - centre|, the slope of its transform. */
  private readonly slope: number
  private readonly value = new Float64Array(3)

  constructor(series: LatticeSeries, theta: number, sum: number, n: number) {
    const { reach, centre, masses } = series
    this.series = series
    this.theta = theta
    this.sum = sum
    this.n = n
    series.real(theta * reach, this.value)
    const [scale = 1, first = 0, second = 0] = this.value
    this.scale = scale
    const mean = (reach * first) / scale
    this.slope = reach * Math.sqrt(second / scale)
    this.sd = Math.sqrt(n * (this.slope ** 2 - mean ** 2))
    this.logScale = n * Math.log(scale) - theta * (sum - n * centre)
    this.span = Math.max(sum, n * (masses.length - 1) - sum) + 1
    const quiet = n * series.logFar(theta) < -LEVEL
    this.reaches = quiet && reach * (2 * theta + 10 / this.sd) < MAX_ARGUMENT
  }

  logMoment(h: number): number {
    const { reach, centre } = this.series
    const z = (this.theta + h) * reach
    if (Math.abs(z) > MAX_ARGUMENT) return Number.POSITIVE_INFINITY // a bound that says nothing
    this.series.real(z, this.value)
    return this.n * Math.log(this.value[0]! / this.scale) - h * (this.sum - this.n * centre)
  }

  scan(k: number, size: number, level: number, out: Float64Array): number {
    const { reach, centre, farFrequency } = this.series
    const t = (2 * Math.PI * k) / size
    if (t >= farFrequency) return size
    this.series.complex(this.theta * reach, t * reach, this.value)
    const [re = 0, im = 0] = this.value
    const modulus = Math.sqrt(re * re + im * im) / this.scale
    const loud = Math.exp(-level / this.n)
    if (modulus < loud) return 1 + Math.floor(((loud - modulus) / this.slope) * (size / (2 * Math.PI)))
    out[0] = this.n * Math.log(modulus)
    out[1] = this.n * Math.atan2(im, re) - turn((this.sum - this.n * centre) * k, size)
    return 0
  }

  /** Never by choice: the inversion is cheaper. */
  work(): number {
    return Number.POSITIVE_INFINITY
  }

  convolve(half: number): number {
    const { masses, centre } = this.series
    const tilted = masses.map((mass, x) => (mass * Math.exp(this.theta * (x - centre))) / this.scale)
    return convolvedTail(tilted, this.n, this.sum, this.theta, half)
  }
}
