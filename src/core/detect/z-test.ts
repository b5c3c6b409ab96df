/**
 * The test of published green-list code (KGW, Unigram, STA-1): z = (green - rate n) / sqrt(n rate (1 - rate)) over *all* n tokens, and
 * the upper tail of the normal law. It takes every token for an independent trial. Equal tokens after equal contexts share their
 * colour, so texts that repeat themselves, as all texts do, have wider laws: the p-values are too small. Measured in
 * reports/false-positives.md; use the guaranteed detector unless you compare with published numbers.
 */

import type { Detector, Evidence } from '../../watermark.ts'
import type { ContextRule } from '../keys/rule.ts'
import type { Context } from '../keys/schedule.ts'
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

/** All n tokens as independent trials of one rate; promises nothing. */
export function zTest(rate: number): Detector {
  return {
    id: 'z-test',
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
      const z = scored === 0 ? 0 : (green - rate * scored) / Math.sqrt(scored * rate * (1 - rate))
      const logPValue = scored === 0 ? 0 : Math.min(0, logNormalTail(z))
      return { statistic: z, logPValue, exact: false, scored, perToken }
    },
  }
}
