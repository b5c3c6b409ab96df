/** A lattice variable under the tilt e^(θx). */
export interface LatticeTilt {
  readonly theta: number
  /** The tilted masses. */
  readonly masses: Float64Array
  /**
   * The integer nearest to the target mean; exponents and angles are counted from it, which keeps them small.
   */
  readonly centre: number
  readonly mean: number
  readonly variance: number
  /** E~|x - centre|. */
  readonly distance: number
  /** |m0| + |m1 - m0| + ... + |md|. */
  readonly variation: number
}

/** ln E e^(θ(x - centre)). */
export function latticeLogScale(masses: Float64Array, theta: number, centre: number): number {
  // the largest exponent belongs to one of the two ends
  const peak = Math.max(-theta * centre, theta * (masses.length - 1 - centre))
  const shift = peak > 600 ? peak : 0
  let sum = 0
  let lost = 0 // Kahan's compensation: the sum is raised to the n-th power
  for (let x = 0; x < masses.length; x++) {
    const term = masses[x]! * Math.exp(theta * (x - centre) - shift) - lost
    const next = sum + term
    lost = next - sum - term
    sum = next
  }
  return shift + Math.log(sum)
}

/** The same for a bound or a search: powers of e^θ one after another, off by at most 1e-16 per step. */
export function roughLatticeLogScale(masses: Float64Array, theta: number, centre: number): number {
  const top = masses.length - 1
  // each half of the lattice from the centre outwards, where the powers are 1
  const [up, down] = [Math.exp(theta), Math.exp(-theta)]
  let sum = 0
  let power = 1
  for (let x = centre; x <= top; x++) {
    sum += masses[x]! * power
    power *= up
  }
  power = down
  for (let x = centre - 1; x >= 0; x--) {
    sum += masses[x]! * power
    power *= down
  }
  return Number.isFinite(sum) && sum > 0 ? Math.log(sum) : latticeLogScale(masses, theta, centre)
}

/** Masses that share an exponential. */
const BLOCK = 32

function tilted(masses: Float64Array, theta: number, centre: number): LatticeTilt {
  const out = new Float64Array(masses.length)
  const peak = theta * (masses.length - 1 - centre)
  let total = 0
  // e^(theta (end - b)) = e^(theta end) e^(-theta b): a few exponentials serve all masses
  const below = Float64Array.from({ length: BLOCK }, (_, b) => Math.exp(-theta * b))
  for (let end = masses.length - 1; end >= 0; end -= BLOCK) {
    const power = Math.exp(theta * (end - centre) - peak)
    for (let b = 0; b < BLOCK && b <= end; b++) total += out[end - b] = masses[end - b]! * power * below[b]!
  }
  let mean = 0
  let square = 0
  let distance = 0
  let variation = 0
  let last = 0
  for (let x = 0; x < masses.length; x++) {
    const mass = out[x]! / total
    const from = x - centre
    out[x] = mass
    mean += mass * from
    square += mass * from * from
    distance += mass * Math.abs(from)
    variation += Math.abs(mass - last)
    last = mass
  }
  return {
    theta,
    masses: out,
    centre,
    mean: centre + mean,
    variance: square - mean * mean,
    distance,
    variation: variation + last,
  }
}

/**
 * The tilt θ >= 0 that has the given mean, to a thousandth of a standard deviation, or θ = 0 where the mean is larger
 * already. Newton's method, kept inside a bracket.
 */
export function latticeSaddle(masses: Float64Array, mean: number): LatticeTilt {
  const centre = Math.round(mean)
  let at = tilted(masses, 0, centre)
  let low = 0
  let high = Number.POSITIVE_INFINITY
  for (let step = 0; step < 200; step++) {
    if (at.theta === 0 && at.mean >= mean) return at
    if (Math.abs(at.mean - mean) <= 1e-3 * Math.sqrt(at.variance)) return at
    if (at.mean < mean) low = at.theta
    else high = at.theta
    const ceiling = high === Number.POSITIVE_INFINITY ? 2 * low + 4 / (masses.length - 1) : high
    let next = at.theta + (mean - at.mean) / at.variance
    if (!(next > low && next < ceiling)) next = high === Number.POSITIVE_INFINITY ? ceiling : (low + high) / 2
    at = tilted(masses, next, centre)
  }
  return at
}
