import { callable, refuseUnknown } from '../../input.ts'
import type { Detector, Evidence, LawOf, NullLaw } from '../../watermark.ts'
import { afterStart, tokensDigest } from '../keys/prefix.ts'
import { checkLaw, lawFor } from './null-laws.ts'

export interface ScanDetectorOptions {
  /** The law of one term of a token's score. */
  readonly nullLaw: LawOf
  /** The number of terms that a token's score is the sum of. Default: one. */
  readonly terms?: (token: number, vocabSize: number) => number
}

/** The positions of a text that are scored, with the token and the number of terms of each. */
interface Scored {
  readonly positions: readonly number[]
  readonly tokens: Int32Array
  readonly terms: readonly number[]
}

function scoredPositions(
  { tokens, contexts, vocabSize }: Evidence,
  termsOf: (token: number, vocabSize: number) => number,
): Scored {
  const terms = Array.from(tokens, (token, t) =>
    t === 0 || contexts[t] === undefined ? 0 : termsOf(token, vocabSize),
  )
  const positions = [...terms.keys()].filter((t) => terms[t]! > 0)
  return {
    positions,
    tokens: Int32Array.from(positions, (t) => tokens[t]!),
    terms: positions.map((t) => terms[t]!),
  }
}

/** The sum of the scores from the i-th scored position on, and its tail. */
function sumFrom(i: number, scores: Float64Array, { terms }: Scored, law: NullLaw) {
  let statistic = 0
  let total = 0
  for (let k = i; k < scores.length; k++) {
    statistic += scores[k]!
    total += terms[k]!
  }
  return { statistic, logTail: law.logTail(statistic, total) }
}

/** The start of the randomness with the smallest tail, by the fast scores, and how many starts there are; 0 where none says anything. */
function findStart({ tokens, scoresUnder }: Evidence, scored: Scored, law: NullLaw) {
  const scores = new Float64Array(scored.positions.length)
  let best = { start: 0, first: scores.length, logTail: 0 }
  let starts = 0
  for (let start = 1, first = 0; start < tokens.length; start++) {
    if (scored.positions[first]! < start) first++
    if (first >= scores.length) break
    starts++
    const digest = tokensDigest(tokens, start)
    const contexts = scored.positions.slice(first).map((t) => afterStart(digest, t))
    scoresUnder(scored.tokens.subarray(first), contexts, scores.subarray(first))
    const { logTail } = sumFrom(first, scores, scored, law)
    if (logTail < best.logTail) best = { start, first, logTail }
  }
  return { ...best, starts }
}

/** ln(1 - (1 - x)^K) with x = e^logTail, the tail of the smallest of K; for tiny x that is logTail + ln K. */
function logTailOfLeast(logTail: number, K: number): number {
  const x = Math.exp(logTail)
  return x < 1e-12 ? logTail + Math.log(K) : Math.log(-Math.expm1(K * Math.log1p(-x)))
}

/**
 * For texts whose randomness begins at an unknown place: tries every start. The p-values of different starts use different
 * randomness and so are independent; with K of them P(min p_i <= x) = 1 - (1 - x)^K exactly. Quadratic in the text's length.
 * @example scanDetector({ nullLaw: exponential() }).id // 'scan'
 */
export function scanDetector(options: ScanDetectorOptions): Detector {
  refuseUnknown('scanDetector', options, ['nullLaw', 'terms'])
  checkLaw('nullLaw', options?.nullLaw)
  const { terms = () => 1 } = options
  callable('terms', terms, 'a function (token, vocabSize) => number')
  return {
    id: 'scan',
    bound: Number.POSITIVE_INFINITY,
    nullLaw: options.nullLaw,
    follows: ({ foundBy }) => foundBy === 'scan',
    test(evidence) {
      const law = lawFor(options.nullLaw, evidence.vocabSize)
      const scored = scoredPositions(evidence, terms)
      const { start, first, starts } = findStart(evidence, scored, law)
      const perToken = new Float64Array(evidence.tokens.length).fill(Number.NaN)
      if (start === 0) return { statistic: 0, scored: 0, perToken, exact: law.exact, logPValue: 0 }
      // the start is found; what it says does not depend on how fast scores are rounded
      const digest = tokensDigest(evidence.tokens, start)
      const scores = new Float64Array(scored.positions.length)
      for (let i = first; i < scores.length; i++) {
        const t = scored.positions[i]!
        scores[i] = evidence.score(scored.tokens[i]!, afterStart(digest, t))
        perToken[t] = scores[i]!
      }
      const { statistic, logTail } = sumFrom(first, scores, scored, law)
      const logPValue = Math.min(0, logTailOfLeast(logTail, starts))
      return { statistic, scored: scores.length - first, perToken, exact: law.exact, logPValue }
    },
  }
}
