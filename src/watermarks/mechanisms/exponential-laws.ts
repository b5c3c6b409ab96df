/** Laws of exponential scores beyond `exponential`: a page that only detects carries neither. */
import { exponential } from '../../core/detect/index.ts'
import { logGammaTail, logTwoGammasTail, logWeightedExponentialsTail } from '../../core/stats/index.ts'
import type { NullLaw } from '../../watermark.ts'

/** Returns the law of a score a A + b B of two standard exponentials, which two independent keys share. */
export const twoExponentials = (a: number, b: number): NullLaw => ({
  name: `twoExponentials(${a},${b})`,
  exact: true,
  mean: a + b,
  logTail(sum, n) {
    if (n === 0) return sum > 0 ? Number.NEGATIVE_INFINITY : 0
    return logTwoGammasTail(sum, n, a, b)
  },
  logMgf: (tilt) => -Math.log1p(-a * tilt) - Math.log1p(-b * tilt),
})

/** The exact tail takes n a / b steps: a smaller share is counted as this much of the larger one, which only raises the tail. */
const LEAST_SHARE = 1e-3

/** Returns the law of (1 - weight) A + weight B: one exponential where the weight is 0 or 1. */
export function mixedExponentials(weight: number): NullLaw {
  const [less, more] = weight < 0.5 ? [weight, 1 - weight] : [1 - weight, weight]
  if (less === 0) return exponential()
  if (less >= LEAST_SHARE * more) return twoExponentials(1 - weight, weight)
  return { ...twoExponentials(more, LEAST_SHARE * more), exact: false }
}

/**
 * Returns the law that vLLM and TextSeal take for the same sum: a Gamma law with its mean and variance. With
 * v = (1 - weight)^2 + weight^2 the tail is P(Gamma(n / v) >= sum / v). The true tail is heavier, except at weights 0, 1/2 and 1.
 */
export function matchedGamma(weight: number): NullLaw {
  const v = (1 - weight) ** 2 + weight ** 2
  const shape = (n: number): number => ([0, 0.5, 1].includes(weight) ? Math.round(n / v) : n / v)
  return {
    name: `matchedGamma(${weight})`,
    exact: false,
    mean: 1,
    logTail: (sum, n) => logGammaTail(sum / v, shape(n)),
  }
}

/** Returns the law of a standard exponential score where contexts recur: a pair that occurs c times counts c times. Exact. */
export const recurringExponential = (): NullLaw => ({
  ...exponential(),
  name: 'recurringExponential()',
  logTailOfCounts: (sum, counts) => logWeightedExponentialsTail(sum, counts),
})
