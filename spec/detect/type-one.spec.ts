/**
 * p-values are guaranteed: on texts that know nothing of the key, P(p <= a) <= a. Each count of p-values at or below 5%, 1% and
 * 0.1% is tested with its exact binomial tail at a level that makes the false-alarm rate of this whole file 1e-9, whatever
 * the (fresh) seed. Power with 8,000 texts: a true rate of 7.7% at 5%, of 2.4% at 1% or of 0.72% at 0.1% is found with
 * probability above 99.9%; with 2,000 texts, 11%, 4.3% and 1.8%. (The law "the null law is right" goes deeper.)
 */
import { expect, test } from 'vitest'
import { detect } from '../../src/detect/detect.ts'
import { binomial } from '../../src/detect/null-laws.ts'
import { sumDetector } from '../../src/detect/sum-detector.ts'
import { ngram } from '../../src/keys/ngram.ts'
import { logBinomialTail } from '../../src/stats/log-binomial-tail.ts'
import {
  type AnyWatermark,
  expEdit,
  kgw,
  mcmark,
  sta1,
  synthid,
  unigram,
} from '../../src/watermarks/index.ts'
import { smallWatermarks, usualWatermarks } from '../watermarks/shipped.ts'
import { nullText, nullVocabulary } from './null-texts.ts'

const seed = `null ${crypto.getRandomValues(new Uint32Array(1))[0]}`
const levels = [0.05, 0.01, 0.001]

interface Case {
  readonly watermark: AnyWatermark
  readonly texts: number
  readonly length: number
}

/** Sums afford many texts; scans and alignments cost more than a pass over the text, and get fewer or shorter ones. */
function caseOf(watermark: AnyWatermark): Case {
  const { id } = watermark.detector!
  if (id === 'scan') return { watermark, texts: 8_000, length: 8 }
  if (id !== 'sum') return { watermark, texts: 2_000, length: 14 }
  // a score of very many values has an exact tail that costs milliseconds
  return { watermark, texts: watermark.detector!.bound > 1000 ? 4_000 : 8_000, length: 30 }
}

const isSum = ({ detector }: AnyWatermark): boolean => detector!.id === 'sum'
const cases: Case[] = [
  ...usualWatermarks().filter(isSum),
  ...smallWatermarks().filter((watermark) => !isSum(watermark)),
  mcmark({ channels: 10 }),
  mcmark({ channels: 100 }),
  synthid({ layers: 3, detector: 'weighted' }),
  sta1({ gamma: 0.25 }),
  kgw({ delta: 2, context: ngram(1, { repeated: 'reuse' }) }),
  expEdit({ keyLength: 12, detector: 'edits' }),
].map(caseOf)

const kinds = ['random', 'repetitive'] as const
const logLevel = Math.log(1e-9 / (cases.length * kinds.length * levels.length))

/** For each level, ln of the chance of that many small p-values if the guarantee holds. */
function excess({ watermark, texts, length }: Case, kind: (typeof kinds)[number]): number[] {
  const counts = levels.map(() => 0)
  for (let i = 0; i < texts; i++) {
    const tokens = nullText(kind, seed, i, length)
    const { pValue } = detect(watermark, tokens, {
      key: `${seed}/${i}`,
      vocabSize: nullVocabulary,
      alpha: 0.05,
    })
    for (const [k, level] of levels.entries()) if (pValue <= level) counts[k]!++
  }
  return levels.map((level, k) => logBinomialTail(counts[k]!, texts, level))
}

for (const kind of kinds)
  test.each(cases.map((c) => [c.watermark.id, c] as const))(
    `%s: type-I error on ${kind} texts (${seed})`,
    (_, c) => {
      expect(Math.min(...excess(c, kind))).toBeGreaterThan(logLevel)
    },
  )

/** What a real author might do; the check above must refuse each. */
const wrong: Record<string, AnyWatermark> = {
  'tokens of a fixed green set taken for independent trials': {
    ...unigram({ delta: 2 }),
    context: { ...unigram({ delta: 2 }).context, recurs: false },
  },
  'a null rate that is too low': {
    ...kgw({ delta: 2 }),
    detector: sumDetector({ nullLaw: binomial(0.4), bound: 1 }),
  },
}

test.each(Object.entries(wrong))('the check rejects %s', (_, watermark) => {
  expect(Math.min(...excess({ watermark, texts: 8_000, length: 30 }, 'repetitive'))).toBeLessThan(logLevel)
})
