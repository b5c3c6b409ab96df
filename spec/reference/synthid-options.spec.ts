/** The settings of published SynthID that change its codes. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { Expansion } from '../../src/core/keys/random.ts'
import { detect, embedder, ngram } from '../../src/index.ts'
import { parseWatermark, synthid } from '../../src/watermarks/entry.ts'
import {
  synthidContexts,
  synthidGValues,
  synthidSamplingTable,
} from '../../src/watermarks/published/index.ts'

const codes = 'reference'
const tokens = Array.from({ length: 60 }, (_, t) => (t * t + 3 * t) % 47)
const layerKeys = (layers: number) => Array.from({ length: layers }, (_, i) => 654 + 401 * i)

describe('table and layers', () => {
  test.each([
    { layers: 30, tableSize: 65536, tableSeed: 0 },
    { layers: 5, tableSize: 1024, tableSeed: 0 },
    { layers: 5, tableSize: 1000, tableSeed: 77 },
    { layers: 33, tableSize: 65536, tableSeed: 3 },
    { layers: 70, tableSize: 256, tableSeed: 3 },
  ])('$layers layers, $tableSize entries, seed $tableSeed: the published bits', (options) => {
    const { layers, tableSize: samplingTableSize, tableSeed: samplingTableSeed } = options
    const keys = layerKeys(layers)
    const watermark = synthid({ ...options, codes })
    const { perToken } = detect(watermark, tokens, { key: keys.join(), vocabSize: 50 })
    const bits = synthidGValues({
      flavor: 'huggingface',
      keys,
      ngramLength: 5,
      tokens,
      samplingTableSize,
      samplingTableSeed,
    })
    for (const [i, g] of bits.entries())
      if (!Number.isNaN(perToken[i + 4]!)) expect(perToken[i + 4]).toBe(g.reduce((sum, bit) => sum + bit, 0))
    const ones = synthidSamplingTable(samplingTableSize, samplingTableSeed).reduce((sum, bit) => sum + bit, 0)
    const law = watermark.detector!.nullLaw as { mean: number }
    expect(law.mean).toBeCloseTo((layers * ones) / samplingTableSize, 12)
    expect(parseWatermark(watermark.id).id).toBe(watermark.id)
  })

  test.each(['own', codes] as const)('40 layers are played one after the other, with %s codes', (from) => {
    const layers = 40
    const watermark = synthid({ layers, codes: from })
    const random = seededRandom(3)
    const p = Float64Array.from({ length: 12 }, () => random.uniform())
    const total = p.reduce((sum, mass) => sum + mass, 0)
    for (let i = 0; i < p.length; i++) p[i]! /= total
    const site = {
      shared: undefined as never,
      context: [1, 2, 3, 4],
      key: new TextEncoder().encode(layerKeys(layers).join()),
    }
    const code = watermark.draw(new Expansion([1, 2, 3, 4]), p.length, site)
    const q = new Float64Array(p.length)
    watermark.reweight(p, code, q)
    const words = [code.random, ...code.more!]
    const expected = Float64Array.from(p)
    let score = 0
    for (let layer = 0; layer < layers; layer++) {
      const bit = (token: number) => (words[layer >>> 5]!.uint32(token) >>> (layer & 31)) & 1
      const ones = expected.reduce((sum, mass, token) => sum + mass * bit(token), 0)
      for (const token of expected.keys()) expected[token]! *= 1 + bit(token) - ones
      score += bit(7)
    }
    for (const [token, mass] of expected.entries()) expect(q[token]).toBeCloseTo(mass, 12)
    expect(watermark.score(7, code)).toBe(score)
  })

  test('what does not go together is refused', () => {
    expect(() => synthid({ codes, flavor: 'google', tableSize: 1024 })).toThrow(/tableSize: expected none/)
    expect(() => synthid({ tableSize: 1024 })).toThrow(/tableSize: expected none without codes/)
    expect(() => synthid({ layers: 44, detector: 'weighted' })).toThrow(/layers: expected at most 43/)
    expect(() => synthid({ codes, tableSize: 2, tableSeed: 1 })).toThrow(/a table with zeros and ones/)
  })
})

describe('contexts: published', () => {
  const key = layerKeys(20).join()
  const published = synthid({ codes, contexts: 'published' })
  test('is the rule of the implementations', () => {
    expect(published.context.id).toBe('synthidContexts(ngramLength=5,history=1024)')
    expect(synthid({ codes }).context.id).toBe('ngram(4)')
    expect(synthid({ codes, contexts: 'published', context: ngram(2) }).context.id).toBe('ngram(2)')
  })

  /** A text that loops over few tokens, so that contexts come back, written at every position. */
  const loop = (history: number, length: number) => {
    const watermark = synthid({ codes, context: synthidContexts({ ngramLength: 2, history }) })
    const text = embedder(watermark, { key, vocabSize: 64, seed: 1 })
    const random = seededRandom(5)
    const out: number[] = []
    const [p, q] = [new Float64Array(64).fill(1 / 64), new Float64Array(64)]
    while (out.length < length) {
      text.reweight(out, p, q)
      let u = random.uniform()
      let token = 0
      while (token < 63 && u > q[token]!) u -= q[token++]!
      out.push(token)
      text.drew(token, p[token]!)
    }
    return { watermark, out }
  }

  test('a text that is marked at every position keeps its evidence', () => {
    const { watermark, out } = loop(0, 400)
    const every = detect(watermark, out, { key, vocabSize: 64 })
    const once = detect(synthid({ codes, context: ngram(1) }), out, { key, vocabSize: 64 })
    expect(once.scored).toBeLessThanOrEqual(64)
    expect(every.scored).toBe(399)
    expect(every.guaranteed).toBe(true)
    expect(every.logPValue).toBeLessThan(1.5 * once.logPValue)
  })

  test('a pair that comes back is no new evidence: the p-value of a loop does not fall', () => {
    const watermark = synthid({ codes, context: synthidContexts({ ngramLength: 2, history: 0 }) })
    const pValue = (n: number) =>
      detect(
        watermark,
        Array.from({ length: n }, (_, t) => t % 2),
        { key, vocabSize: 64 },
      ).logPValue
    expect(pValue(1001)).toBeCloseTo(pValue(3), 9)
  })
})

test('skip_first_ngram_calls: the first positions are left alone, and not remembered', () => {
  const rule = synthidContexts({ ngramLength: 3, skipFirst: true })
  expect(rule.id).toBe('synthidContexts(ngramLength=3,history=1024,skipFirst=true)')
  expect(parseWatermark(synthid({ codes, context: rule }).id).context.id).toBe(rule.id)
  const cursor = rule.begin(undefined as never)
  expect(cursor.next([9])).toBeUndefined()
  expect(cursor.next([9, 0])).toBeUndefined()
  expect(cursor.next([9, 0, 0])).toEqual([0, 0])
  expect(cursor.next([9, 0, 0, 0])).toBeUndefined()
  expect(rule.scored([1, 2, 3], () => false)).toEqual([undefined, undefined, [1, 2]])
})
