import { integer, number } from '../input.ts'
import { stirlingError } from './loader.ts'
import { logGammaTail } from './log-gamma-tail.ts'
import { logSumExp } from './log-sum-exp.ts'

/** Terms below this share of the largest one no longer change the sum. */
const NEGLIGIBLE = -45

/** ln of C(n+k-1, k), by Stirling's formula with its error. */
function logMultisets(n: number, k: number): number {
  if (k === 0 || n === 1) return 0
  const log = (x: number): number => stirlingError(x) + (x + 0.5) * Math.log(x)
  // (n+k-1)! / (k! (n-1)!); the linear terms of Stirling's formula cancel
  return log(n + k - 1) - log(k) - log(n - 1) - Math.log(2 * Math.PI) / 2
}

/**
 * ln P(a A + b B >= x) for independent A, B ~ Gamma(n, 1) and weights a, b > 0.
 *
 * With a >= b, a sum of n exponentials of scale a is a mixture of Gamma(n + K) of the smaller scale b, K negative binomial: wait
 * for n successes of probability r = b/a. So
 *
 *   P(a A + b B >= x) = sum over k of C(n+k-1, k) r^n (1-r)^k Q(2n + k, x/b),
 *
 * a sum of positive terms that rises to one peak and falls: both factors are log-concave in k. Summed outwards from the peak.
 *
 * @example logTwoGammasTail(75, 50, 0.8, 0.2) // 50 scores 0.8 s + 0.2 s' that reach 75: ln 1.02e-4 = -9.1867
 */
export function logTwoGammasTail(x: number, n: number, a: number, b: number): number {
  integer('n', n, 1)
  number('a', a, 0, Number.POSITIVE_INFINITY, true)
  number('b', b, 0, Number.POSITIVE_INFINITY, true)
  number('x', x, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (x <= 0) return 0
  const [small, large] = [Math.min(a, b), Math.max(a, b)]
  const r = small / large
  if (r === 1) return logGammaTail(x / large, 2 * n)
  const [logR, logRest] = [n * Math.log(r), Math.log1p(-r)]
  const term = (k: number): number =>
    logMultisets(n, k) + logR + k * logRest + logGammaTail(x / small, 2 * n + k)
  const peak = peakOf(term)
  const top = term(peak)
  const terms = [top]
  for (const step of [-1, 1])
    for (let k = peak + step; k >= 0; k += step) {
      const next = term(k)
      terms.push(next)
      if (next < top + NEGLIGIBLE) break
    }
  return Math.min(0, logSumExp(terms))
}

/** Where a sequence that rises and then falls is largest. */
function peakOf(term: (k: number) => number): number {
  const falls = (k: number): boolean => term(k + 1) <= term(k)
  let high = 1
  while (!falls(high)) high *= 2
  let low = -1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (falls(middle)) high = middle
    else low = middle
  }
  return high
}
