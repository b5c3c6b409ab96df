/**
 * Loader's two ingredients of saddle-point densities: each is small where the density is large, so that no digits are
 * lost (C. Loader, "Fast and accurate computation of binomial probabilities", 2000).
 *
 * With them, for 0 < k < n and q = 1 - p,
 *   ln b(k; n, p) = δ(n) - δ(k) - δ(n-k) - D(k, np) - D(n-k, nq) + ln(n / (2π k (n-k))) / 2
 *   ln(x^a e^-x / Γ(a+1)) = -δ(a) - D(a, x) - ln(2πa) / 2.
 */

/**
 * ln of Γ(a+b+1) / (Γ(a+1) Γ(b+1)) p^a q^b for real a, b > 0 and p + q = 1: the binomial mass of a successes in a + b
 * trials, also between integers.
 */
export function logBinomialDensity(a: number, b: number, p: number, q: number): number {
  const n = a + b
  return (
    stirlingError(n) -
    stirlingError(a) -
    stirlingError(b) -
    deviance(a, n * p) -
    deviance(b, n * q) -
    Math.log((2 * Math.PI * a * b) / n) / 2
  )
}

/** Coefficients B_2j / (2j (2j-1)) of Stirling's series. */
const stirling = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]

/**
 * δ(x) = ln Γ(x+1) - (x + 1/2) ln x + x - ln(2π)/2 for x > 0, the error of Stirling's formula.
 *
 * From 15 on seven terms of the series are good to 1e-18; below, the recurrence
 * δ(x) = δ(x+1) + (x + 1/2) ln(1 + 1/x) - 1 climbs there. Absolute error below 1e-14.
 */
export function stirlingError(x: number): number {
  let climbed = 0
  let at = x
  for (; at < 15; at++) climbed += (at + 0.5) * Math.log1p(1 / at) - 1
  const inverseSquare = 1 / (at * at)
  let series = 0
  for (let j = stirling.length - 1; j >= 0; j--) series = series * inverseSquare + stirling[j]!
  return climbed + series / at
}

/**
 * D(x, m) = x ln(x/m) + m - x for x, m > 0: the deviance of x from its mean m, 0 at x = m.
 *
 * Near x = m the terms cancel; with v = (x-m)/(x+m), x/m = (1+v)/(1-v) and
 * D = (x-m) v + 2x (v^3/3 + v^5/5 + ...).
 */
export function deviance(x: number, m: number): number {
  const v = (x - m) / (x + m)
  if (Math.abs(v) >= 0.1) {
    const ratio = x / m
    // one logarithm is more accurate than the difference of two, unless the ratio leaves the range of float64
    const log = ratio < Number.POSITIVE_INFINITY ? Math.log(ratio) : Math.log(x) - Math.log(m)
    return x * log + m - x
  }
  const square = v * v
  let power = 2 * x * v
  let sum = (x - m) * v
  for (let j = 3; ; j += 2) {
    power *= square
    const next = sum + power / j
    if (next === sum) return sum
    sum = next
  }
}
