/**
 * The one-sided statistic of Berk and Jones (1979) in its exact form: are n values in [0, 1] uniform, or are some of them too small? The k-th smallest value v_(k) has the p-value
 * P(Bin(n, v_(k)) >= k); the statistic is -ln of the smallest of these over k. It asks at every depth at once, so it sees a few very small values as well as many that are a little small.
 *
 * Its law: with b_k the value at which the k-th p-value is e^-statistic and N(t) the number of values up to t, the statistic is reached where N(b_k) >= k for some k. At
 * the last such k it is N(b_k) = k exactly, since N(b_k) <= N(b_(k+1)) < k + 1. Hence
 *
 *   P = sum over k of P(N(b_k) = k) r_k,   r_k = P(N(b_j) < j for all j > k | N(b_k) = k) = 1 - sum over j > k of P(N(b_j) = j | N(b_k) = k) r_j.
 *
 * The terms of P are positive and the small factor of each is known by its logarithm, so nothing vanishes in the far tail. The differences are harmless: a rounding error
 * e_k of r_k reaches the others as e_k - sum over j of f_kj e_j, f_kj the chance that j is the first after k with N(b_j) = j (a renewal equation), so at most twofold.
 */
import { integer, number } from '../../input.ts'
import { deviance, logBinomialDensity, stirlingError } from './loader.ts'
import { logBinomialTail } from './log-binomial-tail.ts'
import { logSumExp } from './log-sum-exp.ts'

/** The k-th smallest values are looked at up to this k: the law takes half its square of steps. */
const MAX_PLACES = 4096

/** Below this ln v, the binomial tail is its first term to the last bit, and v may not be a float64. */
const TINY = -600

/** ln P(Bin(n, v) = k) for 0 < k <= n and ln v = y < 0. */
function logMass(k: number, n: number, y: number): number {
  if (k === n) return n * y
  if (y > TINY) return logBinomialDensity(k, n - k, Math.exp(y), -Math.expm1(y))
  const share = k / n
  return (
    logBinomialDensity(k, n - k, share, 1 - share) + k * (y - Math.log(share)) - (n - k) * Math.log1p(-share)
  )
}

/** ln P(Bin(n, v) >= k) for 0 < k <= n and ln v = y <= 0. */
const logTail = (k: number, n: number, y: number): number =>
  y > TINY ? logBinomialTail(k, n, Math.exp(y)) : logMass(k, n, y)

/**
 * The statistic of values that are given by their logarithms, in ascending order.
 * @example berkJones(Float64Array.of(Math.log(0.01), Math.log(0.5))) // -ln P(Bin(2, 0.01) >= 1) = 3.92
 */
export function berkJones(logs: Float64Array): number {
  const n = logs.length
  let least = 0
  for (let k = 1; k <= Math.min(n, MAX_PLACES); k++) least = Math.min(least, logTail(k, n, logs[k - 1]!))
  return 0 - least
}

/** ln b_k for k = 1, 2, ... . */
export function berkJonesBounds(statistic: number, n: number): Float64Array {
  const bounds = new Float64Array(Math.min(n, MAX_PLACES))
  // P(Bin(n, v) >= 1) <= n v
  let y = -statistic - Math.log(n)
  for (let k = 1; k <= bounds.length; k++) {
    // the tail is concave in y, and b_k lies above b_(k-1): Newton's steps come from below and never go too far
    for (;;) {
      const tail = logTail(k, n, y)
      const next = y + (-statistic - tail) / (k * Math.exp(logMass(k, n, y) - tail))
      if (!(next - y > 2 ** -51 * Math.abs(y)) || next >= 0) break
      y = next
    }
    bounds[k - 1] = y
  }
  return bounds
}

/** Stirling's errors of the integers that take longest. */
const FEW = Float64Array.from({ length: 16 }, (_, i) => (i === 0 ? 0 : stirlingError(i)))
const stirlingAt = (i: number): number => FEW[i] ?? stirlingError(i)

/** r_k for k = 1, 2, ... : see above. At the last place, K < n, N(b_K) may also be more than K. */
function lastCrossings(bounds: Float64Array, n: number): Float64Array {
  const K = bounds.length
  const last = new Float64Array(K).fill(1)
  const below = bounds.map((y) => Math.exp(y))
  const above = bounds.map((y) => -Math.expm1(y))
  for (let k = K - 1; k >= 1; k--) {
    const left = n - k
    const [from, rest] = [below[k - 1]!, above[k - 1]!]
    let sum = 0
    for (let j = k + 1; j <= K; j++) {
      const share = (from < 0.5 ? below[j - 1]! - from : rest - above[j - 1]!) / rest
      if (!(share > 0)) continue
      const hits = j - k
      if (j === K) {
        sum += Math.exp(logBinomialTail(hits, left, Math.min(1, share)))
        continue
      }
      const misses = left - hits
      const log =
        stirlingAt(left) -
        stirlingAt(hits) -
        stirlingAt(misses) -
        deviance(hits, left * share) -
        deviance(misses, (left * above[j - 1]!) / rest)
      sum += (Math.exp(log) * last[j - 1]!) / Math.sqrt((2 * Math.PI * hits * misses) / left)
    }
    last[k - 1] = Math.min(1, Math.max(0, 1 - sum))
  }
  return last
}

/**
 * ln P(the k-th smallest of n uniforms is at most b_k for some k), for ascending b_k < 1 given by their logarithms: as many as n, or fewer.
 * @example logCrossing(Float64Array.of(Math.log(0.1), Math.log(0.5)), 2) // 1 - P(both above 0.1, one above 0.5) = ln 0.35
 */
export function logCrossing(bounds: Float64Array, n: number): number {
  const last = lastCrossings(bounds, n)
  const terms = bounds.map((y, i) =>
    i + 1 === bounds.length ? logTail(i + 1, n, y) : logMass(i + 1, n, y) + Math.log(last[i]!),
  )
  return Math.min(0, logSumExp(terms))
}

/**
 * ln P(statistic of n independent uniforms >= `statistic`): exact, to a relative error of about 1e-9 in P however small P is.
 * @example logBerkJonesTail(3, 1) // one value has its own p-value: -3
 */
export function logBerkJonesTail(statistic: number, n: number): number {
  number('statistic', statistic, 0, Number.MAX_VALUE)
  integer('n', n, 0)
  return statistic === 0 || n === 0 ? 0 : logCrossing(berkJonesBounds(statistic, n), n)
}
