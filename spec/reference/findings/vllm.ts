/** vLLM's uniforms have 24 bits, and its dual-key p-value is that of a Gamma law with the right mean and variance. */

import { logGammaTail } from '../../../src/core/stats/entry.ts'
import { logTwoGammasTail } from '../../../src/core/stats/log-two-gammas-tail.ts'
import { vllmUniform } from '../../../src/watermarks/published/codes/vllm.ts'

/** Values that a uniform takes, each as likely. */
const M = 2 ** 24

/** The k-th of them, k = 1 .. M. */
const level = (k: number): number => vllmUniform((k - 1) * 256)

/**
 * The distance from uniform, in total variation, of the winner among V equally likely tokens: the first of those with the largest u.
 * Early tokens win more often, so it is the largest excess of "one of the first n wins" over n / V, here at n = V / 2:
 * P = sum over k of P(the largest of n is k) P(the largest of the others is at most k).
 */
export function tieBias(V: number): number {
  const n = Math.floor(V / 2)
  let first = 0
  for (let k = M; k > 0; k--) {
    const below = ((k - 1) / M) ** n
    first += ((k / M) ** n - below) * (k / M) ** (V - n)
    if (below < 1e-18) break
  }
  return first - n / V
}

/**
 * P(a token of the tail is sampled) where one token, the last, has mass `head` and V - 1 others share the rest: the best of the tail
 * stands at place j from the top with probability ((M-j+1)/M)^(V-1) - ((M-j)/M)^(V-1), and wins if its E / p is at most that of the head.
 */
export function tailMass(V: number, head: number): number {
  const ratio = (V - 1) * (head / (1 - head))
  let sum = 0
  for (let j = 1; j <= M; j++) {
    const among = ((M - j + 1) / M) ** (V - 1) - ((M - j) / M) ** (V - 1)
    const most = level(M - j + 1) ** ratio
    if (most === 0 || among === 0) break
    sum += among * atMost(most)
  }
  return sum
}

/** P(u <= x), counted: the largest k whose level is at most x, over M. */
function atMost(x: number): number {
  let k = Math.min(M, Math.max(0, Math.floor(x * (M + 1)) + 2))
  while (k > 0 && level(k) > x) k--
  return k / M
}

const WEIGHT = 0.2
const VARIANCE = (1 - WEIGHT) ** 2 + WEIGHT ** 2

/** The published p-value of a dual-key score: Gamma with shape n / v and scale v has mean n and variance n v. */
const logMomentMatched = (x: number, n: number): number => logGammaTail(x / VARIANCE, n / VARIANCE)

/** The true probability of a claimed p-value of at most `level`, over the claim. */
export function trueOverClaimed(n: number, level: number): number {
  let [low, high] = [n, n + 60 * (1 + Math.sqrt(n)) * Math.log10(1 / level)]
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2
    if (logMomentMatched(middle, n) > Math.log(level)) low = middle
    else high = middle
  }
  return Math.exp(logTwoGammasTail(high, n, 1 - WEIGHT, WEIGHT) - Math.log(level))
}

const LENGTHS = [10, 50, 200, 1000]
const LEVELS = [1e-2, 1e-4, 1e-6, 1e-9]

/** One row per length, one column per level. */
export function momentTable(): string {
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['tokens', ...LEVELS.map((level) => `claimed ${level.toExponential()}`)]),
    row(['---:', ...LEVELS.map(() => '---:')]),
    ...LENGTHS.map((n) => row([String(n), ...LEVELS.map((level) => trueOverClaimed(n, level).toFixed(2))])),
  ].join('\n')
}
