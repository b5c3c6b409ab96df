const EULER = 0.5772156649015329

/**
 * The harmonic number 1 + 1/2 + ... + 1/x continued to real x >= 0: digamma(x + 1) plus Euler's constant.
 * @example harmonic(4) // 25/12
 */
export function harmonic(x: number): number {
  // digamma(y) = digamma(y + 1) - 1/y up to where its asymptotic series is exact to rounding
  let y = x + 1
  let shifted = 0
  while (y < 12) shifted -= 1 / y++
  const s = 1 / (y * y)
  const series =
    s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - (s * 691) / 32760)))))
  return shifted + Math.log(y) - 1 / (2 * y) - series + EULER
}
