/**
 * Student's t law: P(T >= t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2) for t >= 0, I the regularised incomplete beta function
 * by its continued fraction (DLMF 8.17.22), evaluated by Lentz's method.
 */
import { number } from '../input.ts'

/** ln Gamma by Lanczos's series (g = 7, 9 terms), relative error about 1e-15 for x > 0. */
function logGamma(x: number): number {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ]
  let sum = 0.99999999999980993
  for (const [i, term] of terms.entries()) sum += term / (x + i)
  const base = x + terms.length - 1.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum)
}

/** The continued fraction of I_x(a, b); converges fast for x < (a + 1) / (a + b + 2). */
function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  let c = 1
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny)
  let h = d
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + even * d || tiny)
    c = 1 + even / c || tiny
    h *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + odd * d || tiny)
    c = 1 + odd / c || tiny
    const step = d * c
    h *= step
    if (Math.abs(step - 1) < 1e-15) break
  }
  return h
}

/** ln I_x(a, b) where the fraction converges, else through 1 - I_(1-x)(b, a). */
function logBetaRatio(x: number, y: number, a: number, b: number): number {
  const front = (p: number, q: number, u: number, v: number) =>
    logGamma(p + q) - logGamma(p) - logGamma(q) + p * Math.log(u) + q * Math.log(v)
  if (x < (a + 1) / (a + b + 2)) return front(a, b, x, y) + Math.log(fraction(x, a, b) / a)
  return Math.log1p(-Math.exp(front(b, a, y, x)) * (fraction(y, b, a) / b))
}

/**
 * ln P(T >= t) for Student's t with `df` degrees of freedom.
 *
 * @example Math.exp(logStudentTail(2.228, 10)) // 0.0250
 */
export function logStudentTail(t: number, df: number): number {
  number('df', df, 0, Number.POSITIVE_INFINITY, true)
  number('t', t, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (t === 0) return Math.log(0.5)
  if (t === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY
  if (t < 0) return Math.log1p(-Math.exp(logStudentTail(-t, df)))
  const whole = df + t * t
  return Math.log(0.5) + logBetaRatio(df / whole, (t * t) / whole, df / 2, 0.5)
}

/**
 * The t with P(T >= t) = tail, for tail below 1/2, by bisection.
 *
 * @example studentQuantile(0.025, 10) // 2.2281
 */
export function studentQuantile(tail: number, df: number): number {
  number('tail', tail, 0, 0.5, true)
  const target = Math.log(tail)
  let [low, high] = [0, 1]
  while (logStudentTail(high, df) > target) high *= 2
  for (let i = 0; i < 200 && high - low > 1e-14 * high; i++) {
    const middle = (low + high) / 2
    if (logStudentTail(middle, df) > target) low = middle
    else high = middle
  }
  return (low + high) / 2
}
