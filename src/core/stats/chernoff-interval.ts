import { integer, number } from '../../input.ts'
import { bisect } from './bisect.ts'
import type { Interval } from './clopper-pearson.ts'

/**
 * A confidence interval for the expectation of variables in [0, 1], from the mean of n independent ones, that holds
 * for every n and every law: all m with n KL(mean, m) <= ln(2 / (1 - confidence)), KL(a, m) = a ln(a/m) + (1-a)
 * ln((1-a)/(1-m)).
 *
 * Chernoff's inequality for bounded variables (Hoeffding 1963, theorem 1). At a mean of 0 or 1 it equals
 * Clopper-Pearson.
 *
 * @example chernoffInterval(1, 100, 0.95) // { low: 0.9638, high: 1 }
 */
export function chernoffInterval(mean: number, n: number, confidence = 0.95): Interval {
  number('mean', mean, 0, 1)
  integer('n', n, 1)
  number('confidence', confidence, 0, 1, true)
  const limit = Math.log(2 / (1 - confidence)) / n
  const inside = (m: number) => relativeEntropy(mean, m) <= limit
  return {
    high: bisect(inside, mean, 1),
    low: mean - bisect((distance) => inside(mean - distance), 0, mean),
  }
}

/** KL(Bernoulli(a) || Bernoulli(m)). */
function relativeEntropy(a: number, m: number): number {
  const part = (x: number, y: number) => (x === 0 ? 0 : x * Math.log(x / y))
  return part(a, m) + part(1 - a, 1 - m)
}
