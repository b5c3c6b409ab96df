/**
 * Does a detector have power? n independent texts, each under a key of its own; it has when at least c of them are detected
 * at level alpha. n and c are the smallest such that
 * - a detector with the least power that is asked for fails with probability `P(Bin(n, power) < c) <= falseAlarm`;
 * - one without power, detecting at its level only, passes with probability `P(Bin(n, alpha) >= c) <= miss`.
 */
import { logBinomialTail } from '../../../core/stats/index.ts'

export interface PowerPlan {
  readonly texts: number
  readonly needed: number
  readonly alpha: number
  /** The least power that is certain to be found. */
  readonly power: number
  /** The exact rates of this plan. */
  readonly falseAlarm: number
  readonly miss: number
}

/** The smallest plan with these rates: how many texts, and how many of them must be detected. */
export function powerPlan(
  alpha: number,
  rates: { readonly falseAlarm: number; readonly miss: number },
  power = 1 / 2,
): PowerPlan {
  let needed = 1
  for (let texts = 1; ; texts++) {
    // the more texts, the more of them must be detected
    while (needed <= texts && Math.exp(logBinomialTail(needed, texts, alpha)) > rates.miss) needed++
    if (needed > texts) continue
    // P(Bin(n, power) < c) = P(Bin(n, 1 - power) >= n - c + 1)
    const falseAlarm = Math.exp(logBinomialTail(texts - needed + 1, texts, 1 - power))
    if (falseAlarm > rates.falseAlarm) continue
    return { texts, needed, alpha, power, falseAlarm, miss: Math.exp(logBinomialTail(needed, texts, alpha)) }
  }
}
