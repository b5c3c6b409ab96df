import jstat from 'jstat'
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/entry.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { parseWatermark } from '../../src/index.ts'
import { kgw, sta1, unigram } from '../../src/watermarks/entry.ts'

const vocabSize = 1000
const random = seededRandom('z-test')
const texts = Array.from({ length: 20 }, () => Array.from({ length: 120 }, () => random.below(40)))
const pairs = [
  [kgw({ delta: 2 }), kgw({ delta: 2, detector: 'published' })],
  [kgw({ delta: 2, gamma: 1 / 4 }), kgw({ delta: 2, gamma: 1 / 4, detector: 'published' })],
  [unigram({ delta: 2 }), unigram({ delta: 2, detector: 'published' })],
  [sta1(), sta1({ detector: 'published' })],
].map(([guaranteed, published]) => ({ id: guaranteed!.id, guaranteed: guaranteed!, published: published! }))

describe.each(pairs)('$id', ({ guaranteed, published }) => {
  const rate = guaranteed.id.includes('0.25') ? 1 / 4 : 1 / 2

  test('reads the same codes, under an id of its own that parses', () => {
    expect(published.domain).toBe(guaranteed.domain)
    expect(published.id).toContain('detector=published')
    expect(parseWatermark(published.id).id).toBe(published.id)
  })

  test('is the z-test over every token with a context', () => {
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
      expect(found.pValue).toBeCloseTo(jstat.normal.cdf(-z, 0, 1), 10)
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
