/** What a green list that no key changes does to KGW's p-values. */
import { logBinomialTail } from '../../../src/core/stats/entry.ts'

/**
 * P(p-value <= alpha) over keys, for a text of n scored tokens of which one follows token 0 and is green there, under
 * every key: one success is certain, the others are fair coins (V even, gamma 1/2).
 */
export function sizeAfterZero(n: number, alpha: number): { nominal: number; real: number } {
  let critical = 0
  while (logBinomialTail(critical, n, 0.5) > Math.log(alpha)) critical++
  return {
    nominal: Math.exp(logBinomialTail(critical, n, 0.5)),
    real: Math.exp(logBinomialTail(critical - 1, n - 1, 0.5)),
  }
}
