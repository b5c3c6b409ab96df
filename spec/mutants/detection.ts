/** Mistakes in scores, null laws and p-values. */

import { logBinomialTail, logNormalTail } from '../../src/core/stats/entry.ts'
import {
  binomial,
  christ,
  type Detector,
  dipmark,
  exponential,
  gumbel,
  kgw,
  type NullLaw,
  ngram,
  sumDetector,
  synthid,
  unigram,
} from '../../src/index.ts'
import { dip, half, isGreen, race, sta, tournament, upperHalf } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('detection')

export { mutants as detection }

/** Sums of scores with a tail of one's own. */
const tailed = (name: string, logTail: NullLaw['logTail']): Detector =>
  sumDetector({ nullLaw: { name, exact: true, mean: 1 / 2, logTail }, bound: 1 })

add(
  'z-score tail',
  changed(dip(), { detector: tailed('z', (sum, n) => logNormalTail((sum - n / 2) / Math.sqrt(n / 4))) }),
  [law.nullLaw],
)
add(
  'strictly greater instead of at least',
  changed(dip(), { detector: tailed('strict', (sum, n) => logBinomialTail(sum + 1, n, 1 / 2)) }),
  [law.nullLaw],
)
add(
  'Hoeffding without the positive part',
  changed(dip(), {
    detector: sumDetector({
      nullLaw: {
        name: 'hoeffding',
        exact: false,
        mean: 1 / 2,
        logTail: (sum, n) => (-2 * (sum - n / 2) ** 2) / n,
      },
      bound: 1,
    }),
  }),
  [law.nullLaw],
)
add(
  'null rate one point too low',
  changed(dip(), { detector: sumDetector({ nullLaw: binomial(0.49), bound: 1 }) }),
  [law.nullLaw],
)
add(
  'null rate two points too high, still called exact',
  changed(dip(), { detector: sumDetector({ nullLaw: binomial(0.52), bound: 1 }) }),
  [law.nullLaw],
)
add(
  'one trial per token where there are three',
  changed(tournament(), { detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 3 }) }),
  [law.nullLaw],
)
add(
  'weighted scores with the law of plain ones',
  changed(tournament(), {
    score: (token, { word, mask }) =>
      [0, 1, 2].reduce((s, k) => s + (((word(token) ^ mask) >>> k) & 1) * (k === 0 ? 3 : 0), 0),
  }),
  [law.nullLaw],
)
add(
  'repeated n-grams counted as new trials',
  changed(dip(), { context: { ...ngram(2), scored: ngram(2, { repeated: 'reuse' }).scored } }),
  [law.nullLaw],
)
add(
  'one green set, and n tokens taken for n trials',
  changed(unigram({ delta: 2 }), { context: { ...unigram({ delta: 2 }).context, recurs: false } }),
  [law.nullLaw],
)
add(
  'the context includes the token itself',
  changed(sta(), {
    context: {
      ...ngram(2),
      scored: (tokens, skip) => {
        const shifted = ngram(2).scored([...Array.from(tokens), 0], skip)
        return shifted.slice(1)
      },
    },
  }),
  [law.detectable],
)
add(
  'only the prompt is scored',
  changed(sta(), {
    context: {
      ...ngram(2),
      scored: (tokens, skip) =>
        ngram(2)
          .scored(tokens, skip)
          .map((context, t) => (t < 4 ? context : undefined)),
    },
  }),
  [law.detectable],
)
add(
  'positions without a context share one',
  changed(race(), {
    context: {
      ...ngram(2),
      // all tokens of a phrase said again count once more, under the context of the text's start
      scored: (tokens) =>
        Array.from({ length: tokens.length }, (_, t) => (t % 3 === 0 ? [0, 0] : [tokens[t - 1]!, t])),
    },
  }),
  [law.nullLaw],
)
add('score upside down', changed(sta(), { score: (token, code) => (isGreen(token, code) ? 0 : 1) }), [
  law.detectable,
])
add(
  'gumbel scored by -ln u instead of -ln(1 - u)',
  changed(race(), { score: (token, { u }) => -Math.log(u(token)) }),
  [law.detectable],
)
add(
  'scores beyond the declared bound',
  changed(tournament(), { detector: { ...tournament().detector!, bound: 1 } }),
  [law.nullLaw],
)
add('negative scores', changed(dip(), { score: (token, code) => 2 * upperHalf(token, code) - 1 }), [
  law.nullLaw,
])
add('a score that ignores the key', changed(dip(), { score: (token) => (token % 4 === 0 ? 0 : 1) }), [
  law.nullLaw,
])
add(
  'a score that is NaN for token 0',
  changed(dip(), { score: (token, code) => (token === 0 ? Number.NaN : upperHalf(token, code)) }),
  [law.nullLaw],
)
add(
  'the best of all windows that end with the text, not corrected',
  changed(dip(), {
    detector: {
      ...half,
      test: (evidence) => {
        const scores = evidence.scoreEach().filter((score) => !Number.isNaN(score))
        let best = 0
        let sum = 0
        for (let n = 1; n <= scores.length; n++) {
          sum += scores[scores.length - n]!
          best = Math.min(best, logBinomialTail(sum, n, 1 / 2))
        }
        return { ...half.test(evidence), exact: false, logPValue: best }
      },
    },
  }),
  [law.nullLaw],
)
add(
  'a permutation p-value that can be 0',
  changed(dip(), {
    detector: {
      ...half,
      test: (evidence) => {
        const at = (run: number): number =>
          evidence.contexts.reduce(
            (sum, c, t) => sum + (c === undefined ? 0 : evidence.score(evidence.tokens[t]!, c, run)),
            0,
          )
        const runs = evidence.runs ?? 19
        let asGood = 0
        for (let run = 1; run <= runs; run++) if (at(run) >= at(0)) asGood++
        return { ...half.test(evidence), exact: false, logPValue: Math.log(asGood / runs) }
      },
    },
  }),
  [law.nullLaw],
)
add(
  'a scan without correction for its starts',
  changed(christ(), { detector: uncorrected(christ().detector!) }),
  [law.nullLaw],
)
add(
  'gamma law with nine tenths of the shape',
  changed(gumbel(), {
    detector: sumDetector({
      nullLaw: {
        ...exponential(),
        logTail: (s, n) => exponential().logTail(s, Math.max(1, Math.floor(n * 0.9))),
      },
    }),
  }),
  [law.nullLaw],
)
add(
  'green rate of another gamma',
  changed(kgw({ delta: 2, gamma: 0.25 }), { detector: sumDetector({ nullLaw: binomial(0.5), bound: 1 }) }),
  [law.nullLaw],
)
add(
  'dipmark scored by a fixed part of the vocabulary',
  changed(dipmark({ alpha: 0.5 }), { score: (token) => (token < 48 ? 1 : 0) }),
  [law.nullLaw],
)
add(
  'p-values above 1',
  changed(sta(), { detector: { ...half, test: (e) => ({ ...half.test(e), logPValue: 0.1 }) } }),
  [law.nullLaw],
)
add(
  'the mean detector on weighted evidence',
  changed(synthid({ layers: 2 }), {
    score: (token, code) => 2 * ((code.random.uint32(token) ^ code.mask) & 1),
  }),
  [law.nullLaw],
)

/** Reports the best start's own p-value: P(min p_i <= x) is about K x. */
function uncorrected(detector: Detector): Detector {
  return {
    ...detector,
    test: (evidence) => {
      const outcome = detector.test(evidence)
      const starts = Math.max(1, evidence.tokens.length - 1)
      // p = 1 - (1 - x)^K, solved for x
      const x = -Math.expm1(Math.log1p(-Math.min(1 - 1e-15, Math.exp(outcome.logPValue))) / starts)
      return { ...outcome, logPValue: Math.log(x) }
    },
  }
}
