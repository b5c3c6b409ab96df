import { logBinomialDensity } from './loader.ts'
import { log1mexp } from './log1mexp.ts'

/**
 * ln I_x(a, b), the regularised incomplete beta function, for a, b > 0 and 0 < x < 1; `y` is 1 - x, given apart so
 * that a small one keeps its digits.
 *
 * I = (b/(a+b)) d / (1 + d1/(1 + d2/(1 + ...))), d the density of `logBinomialDensity`, d_(2m) = m (b-m) x /
 * ((a+2m-1)(a+2m)), d_(2m+1) = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)) (Abramowitz and Stegun 26.5.8), which converges
 * fast below the mean; above it, the complement.
 */
export function logIncompleteBeta(x: number, y: number, a: number, b: number): number {
  return x * (a + b + 2) <= a + 1 ? below(x, y, a, b) : log1mexp(Math.min(0, below(y, x, b, a)))
}

function below(x: number, y: number, a: number, b: number): number {
  let value = 1
  let c = 1
  let d = 0
  for (let j = 1; ; j++) {
    const m = Math.floor(j / 2)
    const term =
      j % 2 === 0
        ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
        : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + term * d)
    c = 1 + term / c
    const factor = c * d
    value *= factor
    if (Math.abs(factor - 1) <= 4 * Number.EPSILON) break
  }
  return Math.log(b / (a + b)) + logBinomialDensity(a, b, x, y) - Math.log(value)
}
