import { afterStart, tokensDigest } from '../keys/prefix.ts'
import type { Detector, LawOf } from './detector.ts'
import { lawFor } from './null-laws.ts'

export interface ScanDetectorOptions {
  /** The law of one term of a token's score. */
  readonly nullLaw: LawOf
  /** How many terms a token's score is the sum of. Default: one. */
  readonly terms?: (token: number, vocabSize: number) => number
}

/**
 * For texts whose randomness begins at an unknown place: tries every start. The p-values of different starts use different
 * randomness and so are independent; with K of them P(min p_i <= x) = 1 - (1 - x)^K exactly. Quadratic in the text's length.
 * @example scanDetector({ nullLaw: exponential() }).id // 'scan'
 */
export function scanDetector(options: ScanDetectorOptions): Detector {
  const terms = options.terms ?? (() => 1)
  return {
    id: 'scan',
    bound: Number.POSITIVE_INFINITY,
    nullLaw: options.nullLaw,
    test({ tokens, contexts, vocabSize, score }) {
      const law = lawFor(options.nullLaw, vocabSize)
      const scores = new Float64Array(tokens.length)
      let best = {
        logTail: 0,
        statistic: 0,
        scored: 0,
        perToken: new Float64Array(tokens.length).fill(Number.NaN),
      }
      let starts = 0
      for (let start = 1; start < tokens.length; start++) {
        const digest = tokensDigest(tokens, start)
        let statistic = 0
        let total = 0
        let scored = 0
        scores.fill(Number.NaN)
        for (let t = start; t < tokens.length; t++) {
          const count = contexts[t] === undefined ? 0 : terms(tokens[t]!, vocabSize)
          if (count === 0) continue
          scores[t] = score(tokens[t]!, afterStart(digest, t))
          statistic += scores[t]!
          total += count
          scored++
        }
        if (scored === 0) continue
        starts++
        const logTail = law.logTail(statistic, total)
        if (logTail < best.logTail) best = { logTail, statistic, scored, perToken: scores.slice() }
      }
      // ln(1 - (1 - x)^K) with x = e^logTail; for tiny x that is logTail + ln K
      const tail = Math.exp(best.logTail)
      const logPValue =
        tail < 1e-12 ? best.logTail + Math.log(starts) : Math.log(-Math.expm1(starts * Math.log1p(-tail)))
      const { statistic, scored, perToken } = best
      return {
        statistic,
        scored,
        perToken,
        exact: law.exact,
        logPValue: starts === 0 ? 0 : Math.min(0, logPValue),
      }
    },
  }
}
