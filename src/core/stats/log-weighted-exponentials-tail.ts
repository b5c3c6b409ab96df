import { number } from '../../input.ts'
import { bisect } from './bisect.ts'
import { logFactorials } from './fisher.ts'
import { logGammaTail } from './log-gamma-tail.ts'
import { realValues } from './real-values.ts'

/** The share of the mixture that may be left when its series is cut; it is added back. */
const NEGLIGIBLE = 2 ** -50
/** The longest series. */
const MAX_TERMS = 2 ** 24
/** The largest ratio of two weights: the series takes about as many terms for each exponential. */
const MAX_RATIO = 2 ** 16

/**
 * ln P(w_1 E_1 + ... + w_n E_n >= x) for independent standard exponentials and weights w > 0: the null law of a sum of exponential scores in which
 * pairs of context and token come back, each counted as often as it occurs.
 *
 * With m the smallest weight, a stage of weight w is a geometric number of stages of weight m (probability m/w of being the last), so the sum is
 * m Gamma(N), N a sum of geometric variables. Tilted by e^(theta x), under which a stage of weight w has weight w / (1 - theta w) and the mean
 * is x,
 *
 *   P = M(theta) e^(-theta x) sum over k of P'(N = k) G(k),  G(k) = E'[e^(-theta (S - x)); S >= x | N = k] = e^(theta x) r^k Q(k, x/m),
 *
 * r = 1 - theta m, M the moment generating function. All terms are positive and none is small: nothing cancels, and nothing vanishes in the far tail. G <= 1, so
 * the mass behind the last term bounds what is cut off, and is added.
 *
 * @example logWeightedExponentialsTail(10, [1, 1, 1]) // P(Gamma(3) >= 10) = ln 0.00277
 * @example logWeightedExponentialsTail(10, [2, 1]) // 2 e^-5 - e^-10 = ln 0.01343
 */
export function logWeightedExponentialsTail(x: number, weights: readonly number[]): number {
  number('x', x, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const sorted = Float64Array.from(realValues('weights', weights, 0)).sort()
  if (sorted.length === 0) return x > 0 ? Number.NEGATIVE_INFINITY : 0
  const [least, most] = [sorted[0]!, sorted.at(-1)!]
  number('weights', least, 0, Number.POSITIVE_INFINITY, true)
  number('ratio of the largest to the smallest weight', most / least, 1, MAX_RATIO)
  if (x <= 0) return 0
  if (x === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  const n = sorted.length
  const y = x / least
  const larger = sorted.subarray(sorted.lastIndexOf(least) + 1).map((w) => w / least)
  if (larger.length === 0) return logGammaTail(y, n)
  const theta = tiltFor(y, n, larger)
  let logMgf = -(n - larger.length) * Math.log1p(-theta)
  for (const w of larger) logMgf -= Math.log1p(-theta * w)
  // the chance that a stage of weight 1 is the last one of a stage of weight w, under the tilt
  const last = larger.map((w) => (1 / w - theta) / (1 - theta))
  return Math.min(0, logMgf - theta * y + Math.log(mixed(y, n, theta, last)))
}

/** The tilt under which the mean is y, or none where the mean is beyond it. In units of the smallest weight. */
function tiltFor(y: number, n: number, larger: Float64Array): number {
  const mean = (theta: number): number =>
    larger.reduce((sum, w) => sum + w / (1 - theta * w), (n - larger.length) / (1 - theta))
  const edge = 1 / larger.at(-1)!
  if (mean(0) >= y) return 0
  // at 1/w - 1/y the largest weight w alone has the mean y
  return bisect((theta) => mean(theta) <= y, 0, edge - 1 / y)
}

/** sum over k of P'(N = k) G(k), with what is cut off. */
function mixed(y: number, n: number, theta: number, last: Float64Array): number {
  const mean = last.reduce((sum, p) => sum + 1 / p - 1, 0)
  for (let terms = 64 + 4 * Math.ceil(mean); ; terms *= 2) {
    number('terms of the series', terms, 1, MAX_TERMS)
    const masses = geometricSums(terms, last)
    const left = 1 - masses.reduce((sum, mass) => sum + mass, 0)
    const sum = weighted(y, n, theta, masses)
    if (left <= NEGLIGIBLE * sum || left <= 64 * Number.EPSILON * masses.length * sum)
      return sum + Math.max(0, left)
  }
}

/** P'(N = n + k) for k = 0, 1, ...: each stage adds a geometric number, a_k <- p a_k + (1 - p) a_(k-1). */
function geometricSums(terms: number, last: Float64Array): Float64Array {
  const masses = new Float64Array(terms)
  masses[0] = 1
  for (const p of last) {
    let before = 0
    for (let k = 0; k < terms; k++) {
      before = p * masses[k]! + (1 - p) * before
      masses[k] = before
    }
  }
  return masses
}

/** G goes from k to k + 1 by Q(k + 1, y) = Q(k, y) + y^k e^-y / k!. */
function weighted(y: number, n: number, theta: number, masses: Float64Array): number {
  const logR = Math.log1p(-theta)
  const r = 1 - theta
  let g = Math.exp(theta * y + n * logR + logGammaTail(y, n))
  let logTerm = theta * y + n * logR + n * Math.log(y) - y - logFactorials(n)[n]!
  let sum = 0
  for (let k = 0; k < masses.length; k++) {
    sum += masses[k]! * g
    g = r * (g + Math.exp(logTerm))
    logTerm += logR + Math.log(y / (n + k + 1))
  }
  return sum
}
