/** Published p-values against exact tails. */
import { logBinomialTail, logNormalTail } from '../../../src/core/stats/entry.ts'

/** The p-value that Transformers' `WatermarkDetector` prints for a z-score: an approximation of the normal tail. */
export const transformersPValue = (z: number): number =>
  1 - 0.5 * (1 + Math.sign(z) * (1 - Math.exp((-2 * z ** 2) / Math.PI)))

export const normalTail = (z: number): number => Math.exp(logNormalTail(z))

/** The z from which the printed p-value is below the normal tail, by bisection. */
export function crossing(): number {
  let [low, high] = [3, 4]
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (transformersPValue(middle) > normalTail(middle)) low = middle
    else high = middle
  }
  return high
}

/** The exact false-alarm rate of "p-value at most alpha" on n independent green or red tokens. */
export function sizeOfTransformers(n: number, gamma: number, alpha: number): number {
  const z = (green: number) => (green - gamma * n) / Math.sqrt(n * gamma * (1 - gamma))
  let critical = 0
  while (transformersPValue(z(critical)) > alpha) critical++
  return Math.exp(logBinomialTail(critical, n, gamma))
}

/** The least green count of n tokens whose printed p-value is 0, and the exact tail there. */
export function firstZero(n: number, gamma: number): { green: number; tail: number } {
  let green = Math.ceil(gamma * n)
  while (transformersPValue((green - gamma * n) / Math.sqrt(n * gamma * (1 - gamma))) > 0) green++
  return { green, tail: Math.exp(logBinomialTail(green, n, gamma)) }
}

/**
 * The exact false-alarm rate of z > 3 on a text that alternates two tokens, when every repetition counts: the two
 * bigrams are green or not, independently with probability `rate`, and each occurs n / 2 times.
 */
export function sizeOnAlternatingText(n: number, rate: number): number {
  const z = (green: number) => (green - n / 2) / Math.sqrt(n / 4)
  const outcomes = [0, 1, 2].map((bigrams) => ({
    z: z((bigrams * n) / 2),
    probability: [(1 - rate) ** 2, 2 * rate * (1 - rate), rate ** 2][bigrams]!,
  }))
  return outcomes.filter((o) => o.z > 3).reduce((sum, o) => sum + o.probability, 0)
}

/** P(k / runs = 0) under the null: the statistic is the smallest of runs + 1 exchangeable ones. */
export const zeroPermutationP = (runs: number): number => 1 / (runs + 1)

/** The exact false-alarm rate at `alpha` of a binomial(1/2) tail on n tokens that are really green at `rate`. */
export function sizeOfHalf(n: number, rate: number, alpha: number): { nominal: number; real: number } {
  let critical = 0
  while (logBinomialTail(critical, n, 0.5) > Math.log(alpha)) critical++
  return {
    nominal: Math.exp(logBinomialTail(critical, n, 0.5)),
    real: Math.exp(logBinomialTail(critical, n, rate)),
  }
}
