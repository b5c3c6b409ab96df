import { harmonic } from './harmonic.ts'

/**
 * Returns the largest p-value, as a logarithm, that is a discovery at false discovery rate q, by Benjamini and Yekutieli (2001): the k-th
 * smallest of n p-values is at most q k / (n (1 + 1/2 + ... + 1/n)). It needs no independence: texts under one key share contexts.
 */
export function logDiscoveryLevel(logPValues: readonly number[], q: number): number {
  const sorted = Float64Array.from(logPValues).sort()
  const share = Math.log(q / (sorted.length * harmonic(sorted.length)))
  for (let k = sorted.length; k > 0; k--)
    if (sorted[k - 1]! <= share + Math.log(k)) return share + Math.log(k)
  return share
}
