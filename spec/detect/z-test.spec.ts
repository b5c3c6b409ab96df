import jstat from 'jstat'
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/entry.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { parseWatermark } from '../../src/index.ts'
import { generate, markovModel } from '../../src/text/models/entry.ts'
import type { Watermark } from '../../src/watermark.ts'
import {
  dipmark,
  expEdit,
  gammaReweight,
  itsEdit,
  kgw,
  mcmark,
  sta1,
  unigram,
} from '../../src/watermarks/entry.ts'
import { exactBinomialTail } from '../stats/exact.ts'

const vocabSize = 1000
const random = seededRandom('z-test')
const texts = Array.from({ length: 20 }, () => Array.from({ length: 120 }, () => random.below(40)))
const published = 'published' as const
const normalTail = (z: number): number => jstat.normal.cdf(-z, 0, 1)
/** What the MCmark repository computes from a count of n tokens. */
const hoeffding = (_: number, count: number, n: number): number =>
  count > n / 2 ? Math.exp(-2 * n * (count / n - 1 / 2) ** 2) : 1
const binomialTail = (_: number, count: number, n: number): number =>
  Math.exp(exactBinomialTail(count, n, 1n, 4n))
const pairs = (
  [
    [kgw({ delta: 2 }), kgw({ delta: 2, detector: 'published' })],
    [kgw({ delta: 2, gamma: 1 / 4 }), kgw({ delta: 2, gamma: 1 / 4, detector: 'published' }), 1 / 4],
    [unigram({ delta: 2 }), unigram({ delta: 2, detector: 'published' })],
    [sta1(), sta1({ detector: 'published' })],
    [dipmark({ alpha: 0.4 }), dipmark({ alpha: 0.4, detector: published }), 1 / 2, hoeffding],
    [gammaReweight(), gammaReweight({ detector: published }), 1 / 2, hoeffding],
    [mcmark({ channels: 4 }), mcmark({ channels: 4, detector: published }), 1 / 4, binomialTail],
  ] as const
).map(([own, other, rate = 1 / 2, tail = normalTail]) => ({
  id: own.id,
  guaranteed: own as Watermark,
  published: other as Watermark,
  rate,
  tail,
}))

describe.each(pairs)('$id', ({ guaranteed, published, rate, tail }) => {
  test('reads the same codes, under an id of its own that parses', () => {
    expect(published.domain).toBe(guaranteed.domain)
    expect(published.id).toContain('detector=published')
    expect(parseWatermark(published.id).id).toBe(published.id)
  })

  test('is the published test over every token with a context', () => {
    // reusing contexts scores all positions: its scores are those that the z-test counts
    const reused = /fixed/.test(guaranteed.context.id) ? guaranteed.context : ngram(2, { repeated: 'reuse' })
    const all = { ...guaranteed, context: reused }
    for (const [i, tokens] of texts.entries()) {
      const options = { key: `a secret key ${i}`, vocabSize }
      const { perToken, scored } = detect(all, tokens, options)
      const green = perToken.reduce((sum, score) => sum + (score > 0 ? 1 : 0), 0)
      const z = (green - rate * scored) / Math.sqrt(scored * rate * (1 - rate))
      const found = detect(published, tokens, options)
      expect([found.scored, found.exact, found.guaranteed]).toEqual([scored, false, false])
      expect(Array.from(found.perToken)).toEqual(Array.from(perToken))
      expect(found.statistic).toBeCloseTo(z, 10)
      expect(found.pValue).toBeCloseTo(tail(z, green, scored), 10)
    }
  })

  test('too short a text has p = 1; special tokens are not counted', () => {
    expect(detect(published, [], { key: 'a secret key', vocabSize }).pValue).toBe(1)
    const { scored } = detect(published, [5, 6, 7, 8, 9], { key: 'a secret key', vocabSize, skip: [9] })
    expect(scored).toBe(published.context.window === undefined ? 4 : 2)
  })
})

test('passes the gate, which measures instead of trusting it', async () => {
  const results = await checkWatermark(unigram({ delta: 2, detector: 'published' }), { effort: 'quick' })
  expect(results.filter(({ verdict }) => verdict === 'fails')).toEqual([])
  const found = results.find(({ law }) => law === 'the null law is right')
  expect(found?.detail).toMatch(/declares no guarantee; p <= 1% for/)
})

test('published codes keep the published test', () => {
  expect(kgw({ delta: 2, codes: 'reference', detector: 'published' }).detector?.id).toBe('z-test')
  expect(kgw({ delta: 2, codes: 'reference' }).detector?.id).toBe('sum')
})

test('a rule whose contexts a finished text does not tell is refused', () => {
  const short = ngram(2, { short: true })
  expect(() => kgw({ delta: 2, detector: 'published', context: short })).toThrow(
    /a rule that a detector of the kind 'z-test' can follow/,
  )
})

test.each([expEdit, itsEdit])(
  'the published test of an alignment is its permutations alone',
  async (method) => {
    const key = { key: 'a secret key' }
    const own = method({ keyLength: 64 })
    const model = markovModel({ vocabSize: 50 })
    const [text] = await generate(model, [1, 2], { ...key, watermark: own, maxNewTokens: 64, seed: 1 })
    const found = (watermark: Watermark) =>
      detect(watermark, text!.tokens, { ...key, vocabSize: 50, runs: 199 })
    const { pValue, guaranteed } = found(method({ keyLength: 64, detector: published }))
    // no run does as well as the true key; permutations are valid, so the test guarantees its rate
    expect(pValue).toBeCloseTo(1 / 200, 12)
    expect(guaranteed).toBe(true)
    expect(found(own).pValue).not.toBeCloseTo(pValue, 12)
  },
)
