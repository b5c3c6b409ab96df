/**
 * Does a detector have power? n independent texts, each under a key of its own; it has when at least c of them are detected
 * at level alpha. n and c are the smallest such that
 * - a detector with power 1/2 fails with probability `P(Bin(n, 1/2) < c) <= falseAlarm`;
 * - one without power, detecting at its level only, passes with probability `P(Bin(n, alpha) >= c) <= miss`.
 */
import { logBinomialTail } from '../../stats/index.ts'

export interface PowerPlan {
  readonly texts: number
  readonly needed: number
  readonly alpha: number
  /** The exact rates of this plan. */
  readonly falseAlarm: number
  readonly miss: number
}

/** The smallest plan with these rates: how many texts, and how many of them must be detected. */
export function powerPlan(
  alpha: number,
  rates: { readonly falseAlarm: number; readonly miss: number },
): PowerPlan {
  for (let texts = 1; ; texts++) {
    for (let needed = 1; needed <= texts; needed++) {
      const miss = Math.exp(logBinomialTail(needed, texts, alpha))
      if (miss > rates.miss) continue
      // P(Bin(n, 1/2) < c) = P(Bin(n, 1/2) >= n - c + 1)
      const falseAlarm = Math.exp(logBinomialTail(texts - needed + 1, texts, 0.5))
      if (falseAlarm <= rates.falseAlarm) return { texts, needed, alpha, falseAlarm, miss }
      break
    }
  }
}
