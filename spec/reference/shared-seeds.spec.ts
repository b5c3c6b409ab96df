/**
 * Contexts that share a seed share their draws. Over fresh keys, on texts with many such contexts, P(p <= a) <= a: 400 keys and three levels, each judged by an
 * exact binomial tail at 1e-7, so a right detector fails one run in 800,000 here; one whose level at 5% is 16% is refused with probability 0.99.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { detect, gumbel, kgw, stream } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { selfHash } from '../../src/watermarks/published/self-hash.ts'

const codes = 'reference'
const KEYS = 400
const vocabSize = 24
/** Two words in turn, then all of a small vocabulary: contexts repeat, and products modulo V have few values. */
const tokens = [
  ...Array.from({ length: 20 }, (_, t) => (t % 2 === 0 ? 5 : 7)),
  ...Array.from({ length: 24 }, (_, t) => 1 + ((t * t + 3 * t) % 23)),
]

const pValues = (watermark: AnyWatermark): number[] =>
  Array.from(
    { length: KEYS },
    // bytes that are no text
    () => detect(watermark, tokens, { key: Uint8Array.of(255, ...randomBytes(16)), vocabSize }).pValue,
  )

/** The logarithm of the chance that a valid test rejects as often, for the worst level. */
const worst = (values: readonly number[]): number =>
  Math.min(
    ...[0.2, 0.05, 0.01].map((level) =>
      logBinomialTail(values.filter((p) => p <= level).length, KEYS, level),
    ),
  )

describe('P(p <= a) <= a where seeds collide', () => {
  test.each([
    gumbel({ codes, flavor: 'markllm' }),
    gumbel({ codes, flavor: 'markllm', contexts: 'published' }),
    gumbel({ codes, flavor: 'threeBricks', contexts: 'published' }),
    kgw({ delta: 2, codes, flavor: 'threeBricks', contexts: 'published' }),
  ])('$id', (watermark: AnyWatermark) => {
    expect(worst(pValues(watermark))).toBeGreaterThan(Math.log(1e-7))
  })

  test('a sum that takes every position for a trial is refused', () => {
    const watermark = gumbel({ codes, flavor: 'markllm', contexts: 'published' })
    const independent = { ...watermark.detector!, ...gumbel().detector! }
    const every = { ...watermark, detector: independent, context: { ...watermark.context, recurs: false } }
    expect(worst(pValues(every))).toBeLessThan(Math.log(1e-7))
  })

  test('a stream bets on each pair of seed and token once', () => {
    const watermark = gumbel({ codes, flavor: 'markllm', contexts: 'published' })
    const options = { key: '10777193', vocabSize: 30 }
    const { push } = stream(watermark, options)
    // 7^4 = 1 modulo 30: the first fifth token is new, those after it are the same pair
    for (let t = 0; t < 7; t++) push(7)
    expect(push(7).scored).toBe(1)
    // 11^4 = 1 modulo 30: another context, the same seed
    for (const token of [11, 11, 11, 11]) push(token)
    const before = push(11).scored
    expect(push(7).scored).toBe(before)
    const { perToken } = detect(watermark, [7, 7, 7, 7, 9, 11, 11, 11, 11, 9], options)
    expect(perToken[9]).toBe(perToken[4])
    // 2 * 3 * 5 * 10 = 0 modulo 30: the seed is 0 under every key
    expect(detect(watermark, [2, 3, 5, 10, 7], options).scored).toBe(0)
  })

  test('two candidates of the self-hash have the same seed under contexts with one smallest hash', () => {
    const hash = selfHash(15485863n, 'keyed')
    const all = new Set<number>()
    for (let a = 0; a < 20; a++) all.add(hash.seed([a, 30, 40], 7))
    // whatever is not the smallest of the four does not matter
    expect(all.size).toBeLessThan(20)
    expect(hash.seed([30, 40, 50], 7)).not.toBe(hash.seed([30, 40, 50], 8))
  })
})
