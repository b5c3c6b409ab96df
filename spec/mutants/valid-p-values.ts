/** Unusual detectors and rules that are right: no law may refuse them. */

import { fixed } from '../../src/core/keys/fixed.ts'
import { OWN } from '../../src/core/keys/random.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { logBinomialTail, logGammaTail } from '../../src/core/stats/entry.ts'
import {
  binomial,
  type Detector,
  dipmark,
  exponential,
  kgw,
  ngram,
  sta1,
  sumDetector,
  synthid,
  weightedBits,
} from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { race, sta, type Words } from './bases.ts'
import { changed } from './mutant.ts'

/** STA-1 with scores, a detector and a rule of one's own. */
const declared = (
  name: string,
  parts: {
    readonly score?: (token: number, code: Words) => number
    readonly detector?: Detector
    readonly context?: ContextRule
  },
): AnyWatermark => ({ ...changed(sta(), parts), id: name, domain: name })

const scoresOf = (perToken: Float64Array): Float64Array => perToken.filter((score) => !Number.isNaN(score))

/** The largest of n standard exponentials: P(max >= x) = 1 - (1 - e^-x)^n. */
const largestScore: Detector = {
  id: 'largest',
  bound: Number.POSITIVE_INFINITY,
  test(evidence) {
    const perToken = evidence.scoreEach()
    const scores = scoresOf(perToken)
    const statistic = scores.reduce((a, b) => Math.max(a, b), 0)
    const tail = -Math.expm1(scores.length * Math.log1p(-Math.exp(-statistic)))
    const logPValue = scores.length === 0 ? 0 : Math.log(tail)
    return { statistic, logPValue, exact: true, scored: scores.length, perToken }
  },
}

/** P(S > s) + U P(S = s), U from scores under another key: uniform, where the plain tail is a lattice. */
const randomised: Detector = {
  id: 'randomised',
  bound: 1,
  test(evidence) {
    const perToken = evidence.scoreEach()
    const scores = scoresOf(perToken)
    const n = scores.length
    const statistic = scores.reduce((a, b) => a + b, 0)
    let u = 0
    for (let t = 0, bit = 1 / 2; t < perToken.length && bit > 2 ** -30; t++) {
      const context = evidence.contexts[t]
      if (context === undefined) continue
      u += bit * evidence.score(evidence.tokens[t]!, context, 1)
      bit /= 2
    }
    const [above, at] = [statistic + 1, statistic].map((s) => Math.exp(logBinomialTail(s, n, 1 / 2)))
    const p = n === 0 ? 1 : above! + u * (at! - above!) + 2 ** -40
    return { statistic, logPValue: Math.min(0, Math.log(p)), exact: false, scored: n, perToken }
  },
}

/** Each pair of context and token once, whatever the rule scores. */
const distinctPairs: Detector = {
  id: 'distinct pairs',
  bound: 1,
  test(evidence) {
    const perToken = evidence.scoreEach()
    const seen = new Set<string>()
    let statistic = 0
    evidence.contexts.forEach((context, t) => {
      const pair = `${context?.join()}|${evidence.tokens[t]}`
      if (context === undefined || seen.has(pair)) return
      seen.add(pair)
      statistic += perToken[t]!
    })
    const logPValue = seen.size === 0 ? 0 : logBinomialTail(statistic, seen.size, 1 / 2)
    return { statistic, logPValue, exact: true, scored: seen.size, perToken }
  },
}

/** Only contexts that a public hash picks are used: one in twenty. */
const rare = (): ContextRule => {
  const every = ngram(2)
  const picked = (context: readonly number[] | undefined) =>
    context !== undefined && Math.imul(context[0]! * 31 + context[1]!, 0x9e3779b1) >>> 0 < 2 ** 32 / 20
      ? context
      : undefined
  return {
    ...every,
    id: 'one in twenty',
    begin(perText) {
      const cursor = every.begin(perText)
      return { next: (tokens) => picked(cursor.next(tokens)) }
    },
    scored: (tokens, skip) => every.scored(tokens, skip).map(picked),
  }
}

/** Nothing for the first 150 tokens. */
const late = (): ContextRule => {
  const every = ngram(2)
  return {
    ...every,
    id: 'after 150 tokens',
    // a deletion in front may also move one position over the edge
    reach: every.reach + 1,
    begin(perText) {
      const cursor = every.begin(perText)
      let t = 0
      return {
        next(tokens) {
          const context = cursor.next(tokens)
          return t++ < 150 ? undefined : context
        },
      }
    },
    scored: (tokens, skip) => every.scored(tokens, skip).map((context, t) => (t < 150 ? undefined : context)),
  }
}

const uniform = (i: number, { word }: Words): number => (word(i) + 0.5) / 2 ** 32
const bits = (token: number, { word }: Words, words: number): number => {
  let ones = 0
  for (let k = 0; k < words; k++)
    for (let left = word(token + 2 ** 16 * k); left !== 0; left &= left - 1) ones++
  return ones
}
export const validPValues: readonly AnyWatermark[] = [
  declared('a bound with its positive part', {
    detector: sumDetector({
      nullLaw: {
        name: 'hoeffding',
        exact: false,
        mean: 1 / 2,
        logTail: (sum, n) => (-2 * Math.max(0, sum - n / 2) ** 2) / n,
      },
      bound: 1,
    }),
  }),
  declared('p never below 1e-16, and not called exact', {
    detector: sumDetector({
      nullLaw: {
        ...binomial(1 / 2),
        exact: false,
        logTail: (sum, n) => Math.max(Math.log(1e-16), logBinomialTail(sum, n, 1 / 2)),
      },
      bound: 1,
    }),
  }),
  declared('weights off every lattice', {
    score: (token, { word }) =>
      [0.31, 0.77, Math.SQRT1_2].reduce((sum, w, k) => sum + w * ((word(token) >>> k) & 1), 0),
    detector: sumDetector({ nullLaw: weightedBits([0.31, 0.77, Math.SQRT1_2]), bound: 2 }),
  }),
  declared('weights under a rule that reuses contexts', {
    score: (token, { word }) => [5, 3, 1].reduce((sum, w, k) => sum + w * ((word(token) >>> k) & 1), 0),
    detector: sumDetector({ nullLaw: weightedBits([5, 3, 1]), bound: 9 }),
    context: ngram(1, { repeated: 'reuse' }),
  }),
  { ...changed(race(), { detector: largestScore }), id: 'the largest score', domain: 'the largest score' },
  declared('a randomised p-value', { detector: randomised }),
  declared('each pair once under a rule that reuses contexts', {
    detector: distinctPairs,
    context: ngram(1, { repeated: 'reuse' }),
  }),
  declared('scores of 0 to 2,048', {
    score: (token, code) => bits(token, code, 64),
    detector: sumDetector({ nullLaw: binomial(1 / 2, { trials: 2_048 }), bound: 2_048 }),
  }),
  declared('halves', {
    score: (token, { word }) => ((word(token) & 1) + ((word(token) >>> 1) & 1)) / 2,
    detector: sumDetector({
      nullLaw: {
        name: 'halves',
        exact: true,
        mean: 1 / 2,
        logTail: (sum, n) => logBinomialTail(Math.ceil(2 * sum), 2 * n, 1 / 2),
      },
      bound: 1,
    }),
  }),
  declared('three exponentials per token', {
    score: (token, { word }) =>
      [1, 2, 3].reduce((sum, k) => sum - Math.log((word(token + 2 ** 16 * k) + 0.5) / 2 ** 32), 0),
    detector: sumDetector({ nullLaw: exponential({ terms: 3 }) }),
  }),
  declared('exponentials of mean 1/7', {
    score: (token, code) => -Math.log(uniform(token, code)) / 7,
    detector: sumDetector({
      nullLaw: { name: 'short', exact: true, mean: 1 / 7, logTail: (sum, n) => logGammaTail(7 * sum, n) },
    }),
  }),
  declared('one token in twenty is scored', { context: rare() }),
  declared('nothing is scored for 150 tokens', { context: late() }),
  dipmark({ alpha: 0.4, codes: 'reference', context: fixed() }),
  declared('one coin per position, whatever the token', {
    score: (_token, { word }) => (word(OWN) >= 2 ** 31 ? 1 : 0),
  }),
  declared('float32 inside', {
    score: (token, code) => Math.fround(-Math.log(uniform(token, code))),
    detector: sumDetector({ nullLaw: exponential() }),
  }),
  sta1({ gamma: 0.003 }),
  sta1({ codes: 'reference', context: ngram(1, { repeated: 'reuse' }) }),
  kgw({ delta: 2, codes: 'reference', context: ngram(1, { repeated: 'reuse' }) }),
  synthid({ codes: 'reference', context: synthidContexts() }),
  synthid({ layers: 3, context: synthidContexts({ ngramLength: 3, history: 12 }) }),
]
