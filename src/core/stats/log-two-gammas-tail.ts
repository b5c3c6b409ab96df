import { integer, number } from '../../input.ts'
import { deviance, stirlingError } from './loader.ts'
import { logGammaTail } from './log-gamma-tail.ts'

/** Terms below this share of the sum no longer change it. */
const NEGLIGIBLE = 2 ** -60
/** Sums are scaled down from here on: terms rise over more orders of magnitude than a number holds. */
const LARGE = 2 ** 500

/**
 * ln P(a A + b B >= x) for independent A, B ~ Gamma(n, 1) and weights a, b > 0.
 *
 * With a >= b, a sum of n exponentials of scale a is a mixture of Gamma(n + K) of the smaller scale b, K negative binomial: wait
 * for n successes of probability r = b/a. So with y = x/b
 *
 *   P(a A + b B >= x) = sum over k of w_k Q(2n + k, y),  w_k = C(n+k-1, k) r^n (1-r)^k,
 *
 * a sum of positive terms. Each follows from the one before: w_(k+1) = w_k (1-r) (n+k)/(k+1), and Q(m + 1, y) = Q(m, y) (1 + h_m) with
 * h_m = y^m e^-y / (m! Q(m, y)), which itself goes h_(m+1) = h_m y / ((m + 1) (1 + h_m)). It takes about n a/b steps.
 * One score has a closed form.
 *
 * @example logTwoGammasTail(75, 50, 0.8, 0.2) // 50 scores 0.8 s + 0.2 s' that reach 75: ln 1.02e-4 = -9.1867
 */
export function logTwoGammasTail(x: number, n: number, a: number, b: number): number {
  integer('n', n, 1)
  number('a', a, 0, Number.POSITIVE_INFINITY, true)
  number('b', b, 0, Number.POSITIVE_INFINITY, true)
  number('x', x, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (x <= 0) return 0
  if (x === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  const small = Math.min(a, b)
  const r = small / Math.max(a, b)
  if (r === 1) return logGammaTail(x / small, 2 * n)
  // (a e^(-x/a) - b e^(-x/b)) / (a - b); nearly equal weights would cancel
  if (n === 1 && r < 0.5)
    return Math.min(0, (-r * x) / small + Math.log((1 - r * Math.exp(((r - 1) * x) / small)) / (1 - r)))
  const [y, m] = [x / small, 2 * n]
  const logQ = logGammaTail(y, m)
  const logDensity = -stirlingError(m) - deviance(m, y) - Math.log(2 * Math.PI * m) / 2
  const { sum, logScale } = sumOfTerms(n, y, 1 - r, Math.exp(logDensity - logQ))
  return Math.min(0, n * Math.log(r) + logQ + logScale + Math.log(sum))
}

/** The sum of all terms over the first one, as sum * e^logScale. */
function sumOfTerms(n: number, y: number, rest: number, first: number): { sum: number; logScale: number } {
  let h = first
  let term = 1
  let sum = 1
  let logScale = 0
  for (let k = 0; ; k++) {
    const factor = ((rest * (n + k)) / (k + 1)) * (1 + h)
    h *= y / ((2 * n + k + 1) * (1 + h))
    term *= factor
    sum += term
    // the factors fall to 1 - r: once below 1 they stay there, and what is left is a geometric sum at the most
    if (factor < 1 && term < NEGLIGIBLE * sum * (1 - factor)) return { sum, logScale }
    if (term > LARGE) {
      term /= LARGE
      sum /= LARGE
      logScale += Math.log(LARGE)
    }
  }
}
