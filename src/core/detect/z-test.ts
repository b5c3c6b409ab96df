/**
 * Tests of published code, over *all* n tokens: z = (green - rate n) / sqrt(n rate (1 - rate)) and the upper tail of the normal law (KGW,
 * Unigram, STA-1), Hoeffding's exp(-2 n (green/n - rate)^2) (DiPmark, gamma-reweight), or the binomial tail (MCmark). They take every token
 * for an independent trial. Equal tokens after equal contexts share their score, so texts that repeat themselves, as all texts do, have
 * wider laws: the p-values are too small. Measured in reports/false-positives.md; use the guaranteed detector unless you compare with
 * published numbers.
 */

import type { Detector, Evidence } from '../../watermark.ts'
import type { ContextRule } from '../keys/rule.ts'
import type { Context } from '../keys/schedule.ts'
import { logBinomialTail } from '../stats/log-binomial-tail.ts'
import { logNormalTail } from '../stats/log-normal-tail.ts'

/** The context of a position that the rule leaves out because the text used it before; undefined where it has another reason. */
function usedBefore({ tokens }: Evidence, window: number): (t: number) => Context | undefined {
  const first = new Map<string, number>()
  const at = (t: number): Context => Array.from({ length: window }, (_, i) => tokens[t - window + i]!)
  for (let t = window; t < tokens.length; t++) {
    const name = at(t).join()
    if (!first.has(name)) first.set(name, t)
  }
  return (t) => (t >= window && first.get(at(t).join())! < t ? at(t) : undefined)
}

/** ln of each test's p-value, from the difference between the count and its mean, the number of tokens and the count. */
const tails = {
  'z-test': (excess: number, n: number, rate: number) =>
    logNormalTail(excess / Math.sqrt(n * rate * (1 - rate))),
  'hoeffding-test': (excess: number, n: number) => (-2 * Math.max(0, excess) ** 2) / n,
  'binomial-test': (_: number, n: number, rate: number, count: number) => logBinomialTail(count, n, rate),
}

/** All n tokens as independent trials of one rate; promises nothing. */
export function allTokensTest(id: keyof typeof tails, rate: number): Detector {
  return {
    id,
    bound: 1,
    guaranteed: false,
    // it scores what a skipping rule leaves out, and must be able to tell its context
    follows: ({ foundBy, recurs, window }: ContextRule) =>
      foundBy === undefined && (recurs || window !== undefined),
    test(evidence) {
      const { tokens, contexts, rule } = evidence
      const perToken = evidence.scoreEach()
      const left = rule.recurs ? () => undefined : usedBefore(evidence, rule.window!)
      let green = 0
      let scored = 0
      for (let t = 0; t < tokens.length; t++) {
        if (contexts[t] === undefined) {
          const context = left(t)
          if (context === undefined) continue
          perToken[t] = evidence.score(tokens[t]!, context)
        }
        green += perToken[t]!
        scored++
      }
      if (scored === 0) return { statistic: 0, logPValue: 0, exact: false, scored, perToken }
      const excess = green - rate * scored
      const logPValue = Math.min(0, tails[id](excess, scored, rate, green))
      const statistic = excess / Math.sqrt(scored * rate * (1 - rate))
      return { statistic, logPValue, exact: false, scored, perToken }
    },
  }
}
