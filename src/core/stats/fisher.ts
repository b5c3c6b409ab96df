/**
 * Fisher's exact test of two proportions: given the total of hits, the hits of the first sample are hypergeometric when both
 * rates are equal. Two-sided as twice the smaller tail, which is exact and never below the truth.
 */
import { integer } from '../../input.ts'

/** The most trials of a group: the logarithms of their factorials are listed. */
const MAX_TRIALS = 10_000_000

/** ln n! for all n up to a largest one. */
export function logFactorials(largest: number): Float64Array {
  const table = new Float64Array(largest + 1)
  for (let n = 2; n <= largest; n++) table[n] = table[n - 1]! + Math.log(n)
  return table
}

/**
 * The two-sided p-value of `hits1` of `n1` against `hits2` of `n2`.
 *
 * @example fisherTest(8, 10, 1, 10) // 0.00548 = 2 * P(X >= 8), X hypergeometric
 */
export function fisherTest(hits1: number, n1: number, hits2: number, n2: number): number {
  integer('n1', n1, 0, MAX_TRIALS)
  integer('n2', n2, 0, MAX_TRIALS)
  integer('hits1', hits1, 0, n1)
  integer('hits2', hits2, 0, n2)
  const total = hits1 + hits2
  const f = logFactorials(n1 + n2)
  const choose = (n: number, k: number) => f[n]! - f[k]! - f[n - k]!
  const all = choose(n1 + n2, total)
  const mass = (k: number) => Math.exp(choose(n1, k) + choose(n2, total - k) - all)
  let [below, above] = [0, 0]
  for (let k = Math.max(0, total - n2); k <= Math.min(n1, total); k++) {
    if (k <= hits1) below += mass(k)
    if (k >= hits1) above += mass(k)
  }
  return Math.min(1, 2 * Math.min(below, above))
}
