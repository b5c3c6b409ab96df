import { integer, number } from '../../input.ts'
import { logBinomialDensity } from './loader.ts'
import { log1mexp } from './log1mexp.ts'

/**
 * ln P(X >= k) for X ~ Binomial(n, rate), exact to a relative error of about 1e-13 in P however small P is.
 *
 * Above the mean: P = b(k) (1 + r_k + r_k r_(k+1) + ...) with r_j = b(j+1)/b(j) = (n-j) rate / ((j+1)(1-rate)), all
 * terms positive and soon geometric. Below the mean: the complement, which is then at most about 3/4. O(sqrt n) steps
 * at the mean, fewer away from it.
 *
 * @example logBinomialTail(300, 500, 0.5) // ln 4.47e-6 = -12.318
 */
export function logBinomialTail(k: number, n: number, rate: number): number {
  integer('k', k, Number.MIN_SAFE_INTEGER)
  integer('n', n, 0)
  number('rate', rate, 0, 1)
  if (k <= 0) return 0
  if (k > n || rate === 0) return Number.NEGATIVE_INFINITY
  if (rate === 1) return 0
  const q = 1 - rate
  return k > n * rate ? upper(k, n, rate, q) : log1mexp(upper(n - k + 1, n, q, rate))
}

/**
 * ln P(X >= k) for 0 < k <= n, k above or just about the mean; p + q = 1 are both given to keep a small one's digits.
 */
function upper(k: number, n: number, p: number, q: number): number {
  let term = 1
  let sum = 1
  for (let j = k; j < n; j++) {
    term *= ((n - j) / (j + 1)) * (p / q)
    const next = sum + term
    if (next === sum) break
    sum = next
  }
  return Math.min(0, logBinomialMass(k, n, p, q) + Math.log(sum))
}

/** ln P(X = k), q = 1 - p. */
function logBinomialMass(k: number, n: number, p: number, q: number): number {
  if (k === 0) return n * (q > 0.5 ? Math.log1p(-p) : Math.log(q))
  if (k === n) return n * (p > 0.5 ? Math.log1p(-q) : Math.log(p))
  return logBinomialDensity(k, n - k, p, q)
}
