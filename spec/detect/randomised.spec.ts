/**
 * Ties broken at random. The sampled check is two-sided, since the p-value is uniform: its false-alarm rate is 1e-9, whatever its fresh seed; with 4,000 texts it finds a true rate of
 * 7.5% or of 2.9% at 5% with probability above 99.9%.
 */
import { describe, expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { christ, detect, detectRandomised, gumbel, kgw, mcmark, ngram, unigram } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { nullText, nullVocabulary } from './null-texts.ts'

const options = { key: 'a secret of sixteen bytes', vocabSize: nullVocabulary }
const reuse = kgw({ delta: 2, context: ngram(1, { repeated: 'reuse' }) })
const watermarks: AnyWatermark[] = [
  mcmark({ channels: 100 }),
  kgw({ delta: 2 }),
  unigram({ delta: 2 }),
  reuse,
]

test.each(watermarks.map((watermark) => [watermark.id, watermark] as const))(
  '%s: between P(S > s) and P(S >= s), the same every time, whatever is not scored',
  (_, watermark) => {
    for (let i = 0; i < 20; i++) {
      const tokens = nullText('repetitive', 'randomised', i, 30)
      const [usual, broken] = [
        detect(watermark, tokens, options),
        detectRandomised(watermark, tokens, options),
      ]
      expect(broken.logPValue).toBeLessThan(usual.logPValue)
      expect(detectRandomised(watermark, tokens, options)).toEqual(broken)
      expect(broken).toMatchObject({ statistic: usual.statistic, scored: usual.scored })
      const skip = [nullVocabulary - 1]
      const longer = [...tokens, nullVocabulary - 1]
      if (!tokens.includes(skip[0]!))
        expect(detectRandomised(watermark, longer, { ...options, skip }).pValue).toBe(broken.pValue)
    }
  },
)

const seed = `randomised ${crypto.getRandomValues(new Uint32Array(1))[0]}`
const TEXTS = 4000
const logLevel = Math.log(1e-9 / 8)

/** ln of the chances of so many, and of so few, p-values of at most 5%. */
function twoSided(pValue: (tokens: number[], key: string) => number): [many: number, few: number] {
  let count = 0
  for (let i = 0; i < TEXTS; i++)
    if (pValue(nullText('repetitive', seed, i, 40), `${seed}/${i}`) <= 0.05) count++
  return [logBinomialTail(count, TEXTS, 0.05), logBinomialTail(TEXTS - count, TEXTS, 0.95)]
}

describe(`uniform over keys (${seed})`, () => {
  test.each(watermarks.map((watermark) => [watermark.id, watermark] as const))('%s', (_, watermark) => {
    const tails = twoSided((tokens, key) => detectRandomised(watermark, tokens, { ...options, key }).pValue)
    expect(Math.min(...tails)).toBeGreaterThan(logLevel)
  })
  test('the check rejects the usual p-value of 100 channels, which is too large', () => {
    const [, few] = twoSided(
      (tokens, key) => detect(mcmark({ channels: 100 }), tokens, { ...options, key }).pValue,
    )
    expect(few).toBeLessThan(logLevel)
  })
})

test('nothing scored, and scores that are not whole', () => {
  expect(detectRandomised(mcmark({ channels: 20 }), [1], options)).toMatchObject({ pValue: 1, scored: 0 })
  for (const watermark of [gumbel(), christ()] as AnyWatermark[])
    expect(() => detectRandomised(watermark, [1, 2, 3], options)).toThrow(
      `watermark: expected one whose scores are added up and integers, got '${watermark.id}'`,
    )
})
