import { LatticeSeries } from './lattice-series.ts'
import { FAINT, upperSums } from './lattice-tails.ts'
import { logWeightedBernoulliTail } from './log-weighted-bernoulli-tail.ts'
import { logSeriesTail } from './series-tail.ts'

/** Larger sums of weights have too many masses for a table. */
const MAX_WEIGHT = 1 << 14
/** A bound that takes more steps to show is not worth it. */
const MAX_STEPS = 20_000
/** Up to this number of copies the laws of the sums are kept as tables; beyond, the series may reach. */
const MAX_TABLES = 16

/** The law of X + w1 B1 + ... + wm Bm, X with the given one. */
function withBits(
  law: Float64Array<ArrayBuffer>,
  weights: readonly number[],
  rate: number,
): Float64Array<ArrayBuffer> {
  let out = law
  for (const weight of weights) {
    const next = new Float64Array(out.length + weight)
    for (let x = 0; x < out.length; x++) {
      next[x]! += out[x]! * (1 - rate)
      next[x + weight]! += out[x]! * rate
    }
    out = next
  }
  return out
}

/**
 * A bit of weight w and rate p has |transform|^2 = 1 - 4 p (1 - p) sin^2(wt/2), so ln |transform of all| <= -sum of 2 p (1 - p)
 * sin^2(wt/2). Without a tilt that sum is at least `least` for every t from `from` to pi: it is looked at on a grid, and its
 * slope is at most the sum of p (1 - p) w. A tilt makes it smaller by no more than the p (1 - p) that shrinks most.
 */
function farBound(weights: readonly number[], rate: number, from: number): (theta: number) => number {
  const spread = rate * (1 - rate)
  const slope = spread * weights.reduce((sum, w) => sum + w, 0)
  const loss = (t: number): number =>
    2 * spread * weights.reduce((sum, w) => sum + Math.sin((w * t) / 2) ** 2, 0)
  const staysAbove = (least: number): boolean => {
    let t = from
    for (let steps = 0; t <= Math.PI; steps++) {
      const found = loss(t)
      if (steps === MAX_STEPS || !(found > least)) return false
      t += (found - least) / slope
    }
    return true
  }
  const least = [0.4, 0.2, 0.1, 0.05].find(staysAbove) ?? 0
  const heaviest = Math.max(...weights)
  return (theta) => {
    const on = 1 / (1 + ((1 - rate) / rate) * Math.exp(-theta * heaviest))
    // p (1 - p) is smallest where p is farthest from 1/2: at one of the ends, weight 0 or the heaviest
    return -least * Math.min(1, (on * (1 - on)) / spread)
  }
}

/**
 * `logWeightedBernoulliTail` of n copies of each weight, for one list of whole weights and many calls.
 * @example weightedTails([3, 2, 1], 0.5)(4, 1) // 3+2+1, 3+2, 3+1: ln 3/8 = -0.9808
 */
export function weightedTails(weights: readonly number[], rate: number): (sum: number, n: number) => number {
  /** The laws of n copies, n = 0, 1, ..., and their tails: only positive terms, so nothing cancels. */
  const laws = [Float64Array.of(1)]
  const tails: Float64Array[] = []
  const law = (n: number): Float64Array => {
    while (laws.length <= n) laws.push(withBits(laws[laws.length - 1]!, weights, rate))
    return laws[n]!
  }
  let series: LatticeSeries | undefined
  const small = rate > 0 && rate < 1 && weights.reduce((sum, w) => sum + w, 0) <= MAX_WEIGHT
  const copies = (n: number): number[] => new Array<number>(weights.length).fill(n)
  return (sum, n) => {
    if (small && n > 0 && sum > 0 && Number.isInteger(sum) && Number.isInteger(n)) {
      if (n <= MAX_TABLES) {
        tails[n] ??= upperSums(law(n))
        const tail = tails[n][sum] ?? 0
        if (tail > FAINT) return Math.min(0, Math.log(tail))
      } else {
        series ??= new LatticeSeries(law(1), (from) => farBound(weights, rate, from))
        const quick = logSeriesTail(series, sum, n)
        if (quick !== undefined) return quick
      }
    }
    return logWeightedBernoulliTail(sum, weights, rate, copies(n))
  }
}
