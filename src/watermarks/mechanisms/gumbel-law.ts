/**
 * The law of a marked token's score under the Gumbel-max trick: token i wins with probability p_i at a time M that is
 * exponential with rate 1, whichever token wins, and its score is then -ln(1 - e^(-p_i M)).
 */
import { harmonic } from '../../core/stats/index.ts'

/**
 * The mean score: the sum of p H(1/p), H the harmonic number.
 * @example gumbelScoreMean([0.5, 0.5]) // H(2) = 1.5; without a watermark it is 1
 */
export function gumbelScoreMean(p: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < p.length; i++) if (p[i]! > 0) sum += p[i]! * harmonic(1 / p[i]!)
  return sum
}

/**
 * P(score of a watermarked token >= s) for gumbel: token i wins with probability p_i and then its score exceeds s
 * with probability 1 - (1 - e^-s)^(1/p_i), whatever the others are.
 * @example gumbelScoreTail([0.5, 0.5], 1) // 0.6004; without a watermark it is 0.3679
 */
export function gumbelScoreTail(p: ArrayLike<number>, s: number): number {
  let sum = 0
  for (let i = 0; i < p.length; i++)
    if (p[i]! > 0) sum -= p[i]! * Math.expm1(Math.log1p(-Math.exp(-s)) / p[i]!)
  return sum
}
