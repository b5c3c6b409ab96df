import { number } from '../../input.ts'
import { deviance, stirlingError } from './loader.ts'
import { log1mexp } from './log1mexp.ts'

/**
 * ln P(Y >= x) for Y ~ Gamma(shape, 1), the regularised incomplete gamma function Q(shape, x); shape at least 1/2.
 *
 * With d = x^a e^-x / Γ(a+1): for x > a + 1 Legendre's continued fraction Q = a d / (x+1-a - 1(1-a)/(x+3-a -
 * 2(2-a)/(x+5-a - ...))), below it the series P = d (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...) and the complement.
 * Relative error in the probability about 1e-13 while it is above 1e-300; the logarithm's own rounding beyond.
 *
 * (A shape under 1/2 would need another complement; sums of exponentials and chi-squares never do.)
 *
 * @example logGammaTail(600, 500) // P of 500 exponential scores reaching 600: ln 1.23e-5 = -11.309
 */
export function logGammaTail(x: number, shape: number): number {
  number('shape', shape, 0.5, 2 ** 53)
  number('x', x, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (x <= 0) return 0
  if (x === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  const logDensity = -stirlingError(shape) - deviance(shape, x) - Math.log(2 * Math.PI * shape) / 2
  return x > shape + 1
    ? logDensity + Math.log(shape) - Math.log(legendre(x, shape))
    : log1mexp(Math.min(0, logDensity + Math.log(series(x, shape))))
}

/** 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... */
function series(x: number, a: number): number {
  let term = 1
  let sum = 1
  for (let j = 1; ; j++) {
    term *= x / (a + j)
    const next = sum + term
    if (next === sum) return sum
    sum = next
  }
}

/** The continued fraction's denominator, by the modified Lentz algorithm. */
function legendre(x: number, a: number): number {
  let b = x + 1 - a
  let value = b
  let c = b
  let d = 0
  for (let j = 1; ; j++) {
    const numerator = -j * (j - a)
    b += 2
    d = 1 / (b + numerator * d)
    c = b + numerator / c
    const factor = c * d
    value *= factor
    if (Math.abs(factor - 1) <= 4 * Number.EPSILON) return value
  }
}
