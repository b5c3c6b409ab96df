/**
 * Presence tests. Each "found" needs p at most 0.001 under four independent keys: a false alarm of 1e-12. An unmarked model asked 40 times has p at most 5%
 * sixteen times or more with probability below 1e-9. The model sees one token, so the labels (a token before it) do not matter to it.
 */
import { expect, test } from 'vitest'
import { cacheTest, fixedSamplingTest, redGreenTest } from '../../src/text/attacks/entry.ts'
import { generateMany, markovModel } from '../../src/text/models/entry.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { expEdit, gumbel, kgw } from '../../src/watermarks/entry.ts'

const model = markovModel({ vocabSize: 50, entropy: 2.5 })
const KEYS = [
  'first key of a model',
  'second key of a model',
  'third key of a model',
  'fourth key of a model',
]

async function answers(watermark: AnyWatermark | undefined, key: string, prompts: number[][], length = 1) {
  const mark = watermark === undefined ? {} : { watermark, key }
  const requests = prompts.map((prompt, index) => ({ prompt, index }))
  const texts = await generateMany(model, requests, {
    ...mark,
    maxNewTokens: length,
    seed: key,
    batchSize: 512,
  })
  return texts.map(({ tokens }) => tokens)
}

/** Six strata, four contexts, `each` answers per pair: the context is (label, 7). */
async function redGreen(watermark: AnyWatermark | undefined, key: string, each: number): Promise<number> {
  const places = Array.from({ length: 24 * each }, (_, n) => [n % 6, Math.floor(n / 6) % 4] as const)
  const tokens = await answers(
    watermark,
    key,
    places.map(([stratum, label]) => [stratum, label, 7]),
  )
  const strata = Array.from({ length: 6 }, () => Array.from({ length: 4 }, (): number[] => []))
  for (const [n, [stratum, label]] of places.entries()) strata[stratum]![label]!.push(tokens[n]![0]!)
  return redGreenTest(strata, { seed: key }).pValue
}

test('red-green: 480 questions find KGW, and 96 Gumbel', async () => {
  for (const key of KEYS) {
    expect(await redGreen(kgw({ delta: 4 }), key, 20)).toBe(0.001)
    expect(await redGreen(gumbel(), key, 4)).toBe(0.001)
  }
})

test('red-green: without a mark, and under EXP-Edit, whose draws know no context, p-values are valid', async () => {
  for (const mark of [undefined, expEdit({ keyLength: 64 })]) {
    const found: number[] = []
    for (let i = 0; i < 40; i++) found.push(await redGreen(mark, `key number ${i} of a model`, 2))
    expect(found.filter((p) => p <= 0.05).length).toBeLessThan(16)
  }
})

/** Unmarked answers of 12 tokens are equal with probability below 1e-6: each token's largest mass is below 0.3. */
const collision = 1e-6

test('fixed sampling: 20 equal questions find Gumbel, and nothing in an unmarked model or KGW', async () => {
  const same = Array.from({ length: 20 }, () => [1, 2, 3])
  const p = async (mark: AnyWatermark | undefined) =>
    fixedSamplingTest(await answers(mark, KEYS[0]!, same, 12), { collision }).pValue
  expect(await p(gumbel())).toBeLessThan(1e-9)
  expect(await p(undefined)).toBe(1)
  expect(await p(kgw({ delta: 2 }))).toBe(1)
})

test('fixed sampling: the bounds by hand', () => {
  expect(fixedSamplingTest([[1], [1], [2], [3]], { collision: 0.1 }).pValue).toBeCloseTo(
    2 * (1 - 0.9 ** 2),
    10,
  )
  expect(fixedSamplingTest([[1], [2], [1], [3]], { collision: 0.01 }).pValue).toBeCloseTo(2 * 6 * 0.01, 10)
  expect(fixedSamplingTest([[1], [2]], { collision: 0 }).pValue).toBe(1)
})

test('cache: a mark that answers a question only once is found, and equal models are not', async () => {
  const prompts = Array.from({ length: 8 }, (_, i) => [0, i, 7])
  const many = prompts.flatMap((prompt) => Array.from({ length: 12 }, () => prompt))
  const split = (tokens: number[][]) => prompts.map((_, i) => tokens.slice(12 * i, 12 * i + 12).flat())
  for (const key of KEYS) {
    const [first, again] = [await answers(gumbel(), key, many), await answers(undefined, key, many)]
    expect(cacheTest(split(first), split(again), { seed: key }).pValue).toBe(0.001)
  }
  expect(cacheTest([[1, 2]], [[1, 2]]).pValue).toBe(1)
  expect(() => cacheTest([[1]], [])).toThrow('again: expected 1 prompts')
})
