import { integer, list, outOfRange } from '../../../input.ts'
import { logBinomialTail } from '../log-binomial-tail.ts'
import { binomialMasses } from './binomial-masses.ts'
import { type TiltedSum, tiltedTail, turn } from './tilted-tail.ts'
import {
  logScale,
  saddle,
  type Tilt,
  type WeightedBernoulli,
  weightedBernoulli,
} from './weighted-bernoulli.ts'

/**
 * ln P(w1 B1 + ... + wm Bm >= sum) for independent Bernoulli(rate) bits and whole weights, exact to a relative error
 * of about 1e-12 in the probability. `counts[i]` is how many bits have the weight `weights[i]` (1 each if left out).
 *
 * The null law of a detector whose evidence is counted with weights: a fixed green list, where a token type that
 * occurs c times is one bit of weight c, or SynthID's layers. For weights that are not whole, see `logChernoffTail`.
 *
 * @example logWeightedBernoulliTail(4, [3, 2, 1], 0.5) // 3+2+1, 3+2, 3+1: ln 3/8 = -0.981
 * @example logWeightedBernoulliTail(800, [2, 1], 0.5, [400, 500]) // 900 bits: ln 2.70e-11 = -24.336
 */
export function logWeightedBernoulliTail(
  sum: number,
  weights: ArrayLike<number>,
  rate: number,
  counts?: ArrayLike<number>,
): number {
  list('weights', weights, 'a list of weights')
  if (counts !== undefined) list('counts', counts, 'a list of counts')
  integer('sum', sum, Number.MIN_SAFE_INTEGER)
  const law = weightedBernoulli(weights, rate, counts, true)
  // below, tilts leave the range of float64 and the search for one has no end
  if (rate > 0 && rate < 1e-300) throw outOfRange('rate', '0 or a number in [1e-300, 1]', rate)
  if (sum <= 0) return 0
  if (sum > law.total || rate === 0) return Number.NEGATIVE_INFINITY
  if (rate === 1) return 0
  if (sum === law.total) return law.size * Math.log(rate)
  if (law.weights.length === 1) return logBinomialTail(Math.ceil(sum / law.weights[0]!), law.size, rate)
  const bits = new TiltedBits(law, sum)
  if (bits.sd > MAX_DEVIATION)
    throw outOfRange('weights', `a sum whose standard deviation is at most ${MAX_DEVIATION}`, weights)
  return tiltedTail(bits)
}

/** The work grows with the standard deviation of the sum: this much takes about a second. */
const MAX_DEVIATION = 2 ** 19

/** A weighted sum of bits under its saddle-point tilt, as `tiltedTail` wants it. */
class TiltedBits implements TiltedSum {
  readonly theta: number
  readonly logScale: number
  readonly sd: number
  readonly span: number
  private readonly law: WeightedBernoulli
  private readonly sum: number
  private readonly tilt: Tilt
  /** Half of the angle of each weight at the frequency that is looked at, and its sine. */
  private readonly halves: Float64Array
  private readonly sines: Float64Array

  constructor(law: WeightedBernoulli, sum: number) {
    this.law = law
    this.sum = sum
    this.halves = new Float64Array(law.weights.length)
    this.sines = new Float64Array(law.weights.length)
    this.tilt = saddle(law, sum)
    this.theta = this.tilt.theta
    this.logScale = logScale(law, this.tilt, sum)
    this.sd = Math.sqrt(this.tilt.variance)
    this.span = Math.max(sum, law.total - sum) + 1
  }

  logMoment(h: number): number {
    const { weights, counts } = this.law
    const { on, off } = this.tilt
    let log = 0
    for (let g = 0; g < weights.length; g++) {
      const shift = h * weights[g]!
      log +=
        counts[g]! *
        (shift > 0
          ? shift + Math.log(on[g]! + off[g]! * Math.exp(-shift))
          : Math.log(off[g]! + on[g]! * Math.exp(shift)))
    }
    return log - h * this.sum
  }

  /**
   * One bit of weight w has |φ(t)|^2 = 1 - 4 p q sin^2(wt/2), so ln |Φ(t)| <= -loss(t), loss(t) = sum of 2 c p q
   * sin^2(wt/2) over any of the weights. Its root is the length of a vector whose speed is at most the root of the sum of
   * c p q w^2 / 2: a large loss stays large for a while. Small weights change slowest, so a few of them are asked first.
   */
  scan(k: number, size: number, level: number, out: Float64Array): number {
    const { weights, counts } = this.law
    const { on, off } = this.tilt
    let loss = 0
    let speed = 0
    for (let g = weights.length - 1; g >= 0; g--) {
      const w = weights[g]!
      const spread = counts[g]! * on[g]! * off[g]!
      const half = turn(w * k, size) / 2
      const sine = Math.sin(half)
      this.halves[g] = half
      this.sines[g] = sine
      loss += 2 * spread * sine * sine
      speed += (spread * w * w) / 2
      const few = weights.length - g === 4 || g === 0
      if (few && loss > level)
        return (
          1 + Math.floor(((Math.sqrt(loss) - Math.sqrt(level)) / Math.sqrt(speed)) * (size / (2 * Math.PI)))
        )
    }
    let logModulus = 0
    let phase = -turn(this.sum * k, size)
    // bits of equal count are multiplied first: one logarithm for all of them
    for (let g = 0; g < weights.length; ) {
      const count = counts[g]!
      let re = 1
      let im = 0
      for (; g < weights.length && counts[g] === count; g++) {
        const sine = this.sines[g]!
        const x = 1 - 2 * on[g]! * sine * sine
        const y = 2 * on[g]! * sine * Math.cos(this.halves[g]!)
        const next = re * x - im * y
        im = re * y + im * x
        re = next
      }
      logModulus += (count / 2) * Math.log(re * re + im * im)
      phase += count * Math.atan2(im, re)
    }
    out[0] = logModulus
    out[1] = phase
    return 0
  }

  work(half: number): number {
    return (this.law.size - Math.max(...this.law.counts)) * this.window(half)
  }

  /** The masses are kept up to the window's end, counted from the end (all bits 0, or all bits 1) that is nearer. */
  private window(half: number): number {
    return Math.min(this.sum + half, this.law.total + 1, this.law.total - this.sum + 1)
  }

  convolve(half: number): number {
    const { weights, counts, total } = this.law
    const room = this.window(half)
    const fromTop = room === total - this.sum + 1
    const [up, down] = fromTop ? [this.tilt.off, this.tilt.on] : [this.tilt.on, this.tilt.off]
    // the weight that occurs most often begins, as a binomial law (token types that occur once are most of a text)
    const most = counts.indexOf(Math.max(...counts))
    const masses = spread(binomialMasses(counts[most]!, up[most]!, down[most]!), weights[most]!, room)
    let reach = Math.min(weights[most]! * counts[most]!, room - 1)
    for (let g = 0; g < weights.length; g++) {
      if (g === most) continue
      const w = weights[g]!
      const step = up[g]!
      const stay = down[g]!
      for (let copy = 0; copy < counts[g]!; copy++) {
        reach = Math.min(reach + w, room - 1)
        for (let s = reach; s >= w; s--) masses[s] = masses[s]! * stay + masses[s - w]! * step
        for (let s = Math.min(w, room) - 1; s >= 0; s--) masses[s]! *= stay
      }
    }
    let tail = 0
    for (let s = 0; s < room; s++) {
      const beyond = fromTop ? total - this.sum - s : s - this.sum
      if (beyond >= 0 && beyond < half) tail += Math.exp(-this.theta * beyond) * masses[s]!
    }
    return tail
  }
}

/** The law of `weight` times a variable, up to `room`. */
function spread(masses: Float64Array, weight: number, room: number): Float64Array {
  const out = new Float64Array(room)
  for (let k = 0; k < masses.length && k * weight < room; k++) out[k * weight] = masses[k]!
  return out
}
