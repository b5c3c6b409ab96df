/** Mistakes in p-values that show in the far tail or in long texts. */

import type { Outcome } from '../../src/core/detect/entry.ts'
import { logBinomialTail, logNormalTail } from '../../src/core/stats/entry.ts'
import {
  binomial,
  type Detector,
  deltaReweight,
  exponential,
  gumbel,
  type NullLaw,
  sumDetector,
} from '../../src/index.ts'
import { dip, half, race, tournament } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('p-values')

export { mutants as pValues }

/** Another p-value from what the detector says. */
const restated = (
  detector: Detector,
  logPValue: (outcome: Outcome, scores: Float64Array) => number,
): Detector => ({
  ...detector,
  test(evidence) {
    const outcome = detector.test(evidence)
    return { ...outcome, logPValue: logPValue(outcome, evidence.scoreEach()) }
  },
})
export const summed = (nullLaw: NullLaw, bound?: number): Detector => sumDetector({ nullLaw, bound })
export const fair = binomial(1 / 2)
/** A number that depends on all scores. */
const hashOf = (scores: Float64Array): number =>
  scores.reduce((hash, score, t) => Math.imul(hash ^ (score * 7919 + t), 0x9e3779b1) >>> 0, 1)

add(
  'below 1e-4 squared',
  changed(dip(), {
    detector: restated(half, ({ logPValue: log }) => (log < Math.log(1e-4) ? 2 * log : log)),
  }),
  [law.nullLaw],
)
add(
  'below 1e-12 squared, scores of three bits',
  changed(tournament(), {
    detector: restated(tournament().detector!, ({ logPValue: log }) =>
      log < Math.log(1e-12) ? 2 * log : log,
    ),
  }),
  [law.nullLaw],
)
add(
  '1e-9 with probability 1/256',
  changed(dip(), {
    detector: restated(half, ({ logPValue }, scores) =>
      hashOf(scores) >>> 24 === 0 ? Math.log(1e-9) : logPValue,
    ),
  }),
  [law.nullLaw],
)
add(
  'another rate above 700 tokens',
  changed(dip(), {
    detector: summed({ ...fair, logTail: (sum, n) => logBinomialTail(sum, n, n > 700 ? 0.49 : 0.5) }, 1),
  }),
  [law.nullLaw],
)
add(
  'the normal tail above 256 tokens',
  changed(dip(), {
    detector: summed(
      {
        ...fair,
        logTail: (sum, n) =>
          n > 256 ? logNormalTail((sum - 0.5 - n / 2) / Math.sqrt(n / 4)) : logBinomialTail(sum, n, 1 / 2),
      },
      1,
    ),
  }),
  [law.nullLaw],
)
add(
  'one minus the distribution function, in float64',
  changed(dip(), {
    detector: restated(half, ({ logPValue }) => Math.log(1 - (1 - Math.exp(logPValue)))),
  }),
  [law.nullLaw],
)
add(
  'rounded to 1e-16',
  changed(dip(), {
    detector: restated(half, ({ logPValue }) => Math.log(Math.round(Math.exp(logPValue) * 1e16) / 1e16)),
  }),
  [law.nullLaw],
)
add(
  'never below 1e-16, still called exact',
  changed(race(), {
    detector: restated(race().detector!, ({ logPValue }) => Math.max(logPValue, Math.log(1e-16))),
  }),
  [law.nullLaw],
)
add(
  'never above 1/2',
  changed(race(), {
    detector: restated(race().detector!, ({ logPValue }) => Math.min(logPValue, -Math.LN2)),
  }),
  [law.nullLaw],
)
add(
  'NaN where it would be below 1e-300',
  changed(dip(), {
    detector: restated(half, ({ logPValue: log }) => (log < Math.log(1e-300) ? Number.NaN : log)),
  }),
  [law.nullLaw],
)

/** Sums of scores kept in a number of another kind. */
const keptAs = (base: Detector, tail: NullLaw['logTail'], keep: (sum: number) => number): Detector => ({
  ...base,
  test(evidence) {
    const outcome = base.test(evidence)
    let statistic = 0
    for (const score of outcome.perToken) if (!Number.isNaN(score)) statistic = keep(statistic + score)
    return { ...outcome, statistic, logPValue: tail(statistic, outcome.scored) }
  },
})
add(
  'scores summed in float32',
  changed(gumbel(), { detector: keptAs(gumbel().detector!, exponential().logTail, Math.fround) }),
  [law.nullLaw],
)
add(
  'a sum of lattice scores in sixteen bits',
  changed(deltaReweight(), {
    detector: keptAs(
      deltaReweight().detector!,
      (deltaReweight().detector!.nullLaw as NullLaw).logTail,
      (sum) => sum & 0xffff,
    ),
  }),
  [law.nullLaw],
)
add(
  'tokens counted in one byte',
  changed(dip(), {
    detector: {
      ...half,
      test(evidence) {
        const outcome = half.test(evidence)
        const scored = outcome.scored & 255 || 1
        return { ...outcome, logPValue: Math.min(0, logBinomialTail(outcome.statistic, scored, 1 / 2)) }
      },
    },
  }),
  [law.nullLaw],
)
add(
  'one trial too few above 64 tokens',
  changed(dip(), {
    detector: summed({ ...fair, logTail: (sum, n) => logBinomialTail(sum, n > 64 ? n - 1 : n, 1 / 2) }, 1),
  }),
  [law.nullLaw],
)
add(
  'the bound of Hoeffding, called exact',
  changed(dip(), {
    detector: summed({ ...fair, logTail: (sum, n) => (-2 * Math.max(0, sum - n / 2) ** 2) / n }, 1),
  }),
  [law.nullLaw],
)
add(
  'a table of tails that ends at 4,096 scores',
  changed(dip(), {
    detector: summed(
      {
        ...fair,
        logTail: (sum, n) =>
          n <= 4096 ? logBinomialTail(sum, n, 0.5) : logBinomialTail(Math.round((sum * 4096) / n), 4096, 0.5),
      },
      1,
    ),
  }),
  [law.nullLaw],
)
add(
  'the normal tail above 10,000 scores',
  changed(race(), {
    detector: summed({
      ...exponential(),
      logTail: (sum, n) =>
        n <= 10_000 ? exponential().logTail(sum, n) : logNormalTail((sum - n) / Math.sqrt(n)),
    }),
  }),
  [law.nullLaw],
)
add(
  'a z-score with continuity correction at rate 1/4, called a bound',
  changed(dip(), {
    score: (token, { word }) => (word(token) < 2 ** 30 ? 1 : 0),
    detector: summed(
      {
        ...binomial(1 / 4),
        exact: false,
        logTail: (sum, n) => (sum <= 0 ? 0 : logNormalTail((sum - 0.5 - n / 4) / Math.sqrt((3 * n) / 16))),
      },
      1,
    ),
  }),
  [law.nullLaw],
)
/** The most significant of the chunks of a text. */
const bestChunk = (length: number): Detector => ({
  id: 'chunks',
  bound: 1,
  test(evidence) {
    const outcome = half.test(evidence)
    const scores = outcome.perToken.filter((score) => !Number.isNaN(score))
    let logPValue = 0
    for (let from = 0; from < scores.length; from += length) {
      const chunk = scores.subarray(from, from + length)
      const sum = chunk.reduce((total, score) => total + score, 0)
      logPValue = Math.min(logPValue, logBinomialTail(sum, chunk.length, 1 / 2))
    }
    return { ...outcome, exact: false, logPValue }
  },
})
for (const length of [256, 1_024])
  add(
    `the best chunk of ${length.toLocaleString('en')} tokens, uncorrected`,
    changed(dip(), { detector: bestChunk(length) }),
    [law.nullLaw],
  )
add(
  'a z-score with continuity correction at rate 1/3, called a bound',
  changed(dip(), {
    score: (token, { word }) => (word(token) < 2 ** 32 / 3 ? 1 : 0),
    detector: summed(
      {
        ...binomial(1 / 3),
        exact: false,
        logTail: (sum, n) => (sum <= 0 ? 0 : logNormalTail((sum - 0.5 - n / 3) / Math.sqrt((2 * n) / 9))),
      },
      1,
    ),
  }),
  [law.nullLaw],
)
