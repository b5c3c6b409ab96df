/**
 * One text, several watermarks and keys. The sampled check has a false-alarm rate of 1e-9, whatever its fresh seed; with 1,000 texts it finds a chance of 13% at 5% with
 * probability above 99.9%.
 */
import { expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import {
  type AnyDetection,
  detect,
  detectAny,
  expEdit,
  gumbel,
  kgw,
  mcmark,
  ngram,
  synthid,
} from '../../src/index.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { nullText, nullVocabulary } from './null-texts.ts'

const keys = Array.from({ length: 12 }, (_, i) => `the secret of tenant ${i}`)
const watermarks: AnyWatermark[] = [gumbel(), synthid(), mcmark({ channels: 20 })]

test('finds the watermark and the key, and no others', async () => {
  const model = markovModel({ vocabSize: 100, entropy: 3, seed: 'any' })
  const requests = [{ prompt: [0], key: keys[7]!, seed: 1 }]
  const [text] = await generateMany(model, requests, { watermark: synthid(), maxNewTokens: 80 })
  const found = detectAny(watermarks, keys, text!.tokens, { vocabSize: 100 })
  expect(found.detected).toBe(true)
  expect(found.candidates).toHaveLength(36)
  expect(found.candidates.filter(({ detected }) => detected)).toMatchObject([
    { watermark: { id: 'synthid(layers=20)' }, keyIndex: 7 },
  ])
})

test('p-values are those of detect, corrected by Holm', () => {
  const tokens = nullText('random', 'holm', 1, 40)
  const { candidates, logPValue } = detectAny(watermarks, keys, tokens, { vocabSize: nullVocabulary })
  const raw = candidates.map(({ watermark, keyIndex, detection }) => {
    const alone = detect(watermark, tokens, { key: keys[keyIndex]!, vocabSize: nullVocabulary })
    expect(detection.logPValue).toBe(alone.logPValue)
    return alone.pValue
  })
  expect(raw).toEqual(raw.toSorted((a, b) => a - b))
  let largest = 0
  for (const [rank, p] of raw.entries()) {
    largest = Math.min(1, Math.max(largest, (36 - rank) * p))
    expect(candidates[rank]!.pValue).toBeCloseTo(largest, 12)
  }
  expect(logPValue).toBe(candidates[0]!.logPValue)
})

test('is guaranteed only if every test is', () => {
  const published = kgw({ delta: 2, detector: 'published' })
  const guaranteed = (marks: AnyWatermark[]): boolean =>
    detectAny(marks, keys.slice(0, 2), [1, 2, 3, 4, 5, 6], { vocabSize: 10 }).guaranteed
  expect(guaranteed([gumbel(), kgw({ delta: 2 })])).toBe(true)
  expect(guaranteed([gumbel(), published])).toBe(false)
  expect(guaranteed([published, gumbel()])).toBe(false)
})

test('the contexts of a text are computed once for all keys and methods of a rule', () => {
  let asked = 0
  const rule = ngram(2)
  const context = {
    ...rule,
    scored(...text: Parameters<typeof rule.scored>) {
      asked++
      return rule.scored(...text)
    },
  }
  const marks = [gumbel({ context }), synthid({ context }), kgw({ delta: 2, context: ngram(1) })]
  detectAny(marks, keys, [1, 2, 3, 4, 5, 6], { vocabSize: 10, skip: new Set([3]).values() })
  expect(asked).toBe(1)
})

test('permutation tests get the runs that a corrected level needs', () => {
  const { candidates } = detectAny([expEdit({ keyLength: 8 })], keys.slice(0, 2), [1, 2, 3, 4], {
    vocabSize: 10,
    alpha: 0.2,
  })
  expect(candidates).toHaveLength(2)
  for (const { pValue } of candidates) expect(pValue).toBeGreaterThan(0)
})

const seed = `any ${crypto.getRandomValues(new Uint32Array(1))[0]}`
const TEXTS = 1000
const logLevel = Math.log(1e-9)

/** ln of the chance of so many p-values of at most 5% if the guarantee holds. */
function excess(pValue: (found: AnyDetection) => number): number {
  let count = 0
  for (let i = 0; i < TEXTS; i++) {
    const own = Array.from({ length: 3 }, (_, k) => `${seed}/${i}/${k}`)
    const found = detectAny([gumbel(), kgw({ delta: 2 })], own, nullText('repetitive', seed, i, 30), {
      vocabSize: nullVocabulary,
    })
    if (pValue(found) <= 0.05) count++
  }
  return logBinomialTail(count, TEXTS, 0.05)
}

test(`type-I error of the smallest p-value (${seed}), which an uncorrected one would not keep`, () => {
  expect(excess(({ pValue }) => pValue)).toBeGreaterThan(logLevel)
  expect(excess(({ candidates }) => candidates[0]!.detection.pValue)).toBeLessThan(logLevel)
})

test('refused', () => {
  const options = { vocabSize: 10 }
  expect(() => detectAny([], keys, [1], options)).toThrow('watermarks: expected at least one')
  expect(() => detectAny([gumbel()], [], [1], options)).toThrow('keys: expected at least one')
  expect(() => detectAny([gumbel()], ['same', 'same'], [1], options)).toThrow(
    'keys[1]: expected a key that was not given before',
  )
  expect(() => detectAny([gumbel(), {} as never], keys, [1], options)).toThrow(
    'watermarks[1]: expected a watermark',
  )
  expect(() => detectAny([gumbel()], keys, [10], options)).toThrow('tokens[0]: expected a token id')
})
