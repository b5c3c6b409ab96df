/**
 * Stealing breaks Unigram and cannot break marks with a context in the same budget. A spoof that owes nothing to the mark has p <= a with probability
 * at most a over keys: each "detected" below has a false alarm of at most 1e-9, each "not detected" holds unless p <= 1e-9 by chance.
 */
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { scrub, steal, stolenWatermark } from '../../src/text/attacks/entry.ts'
import { generateMany, markovModel } from '../../src/text/models/entry.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { expEdit, gumbel, kgw, unigram } from '../../src/watermarks/entry.ts'

const vocabSize = 200
const model = markovModel({ vocabSize, entropy: 4 })
const key = 'the key that no attacker has'
const LENGTH = 120

async function write(count: number, seed: string, options: object = {}, prompts = vocabSize) {
  const requests = Array.from({ length: count }, (_, i) => ({ prompt: [i % prompts], index: i }))
  const texts = await generateMany(model, requests, { maxNewTokens: LENGTH, seed, ...options })
  return texts.map(({ tokens }) => tokens)
}

/** The p-value of all texts as one: contexts count once, so it is as valid as each. */
const logP = (watermark: AnyWatermark, texts: readonly number[][]) =>
  detect(watermark, texts.flat(), { key, vocabSize }).logPValue
const SURE = Math.log(1e-9)

async function stolenFrom(watermark: AnyWatermark, count: number, options: object = {}, prompts?: number) {
  const marked = await write(count, 'marked', { watermark, key }, prompts)
  return steal(marked, { vocabSize, reference: await write(count, 'reference', {}, prompts), ...options })
}

const forged = async (watermark: AnyWatermark, count: number, options: object = {}, prompts?: number) => {
  const stolen = await stolenFrom(watermark, count, options, prompts)
  return write(4, 'forged', { watermark: stolenWatermark(stolen), key: 'the forger has no key' }, prompts)
}

describe('spoofing', () => {
  test('60 texts are enough to forge Unigram', async () => {
    const mark = unigram({ delta: 2 })
    expect(logP(mark, await forged(mark, 60, { width: 0 }))).toBeLessThan(SURE)
  })

  test('60 texts are not enough to forge KGW, whose 40,000 contexts have lists of their own', async () => {
    const mark = kgw({ delta: 2 })
    expect(logP(mark, await forged(mark, 60))).toBeGreaterThan(SURE)
  })

  test('EXP-Edit gives nothing to an estimate by context', async () => {
    const mark = expEdit({ keyLength: 64 })
    const texts = await forged(mark, 60)
    expect(detect(mark, texts[0]!, { key, vocabSize, runs: 99 }).pValue).toBeGreaterThan(0.01)
  })

  test('repeated prompts show the code of an unbiased mark: the commonest token of each context forges Gumbel', async () => {
    const mark = gumbel()
    const repeated = await forged(mark, 60, { estimate: 'argmax' }, 4)
    expect(logP(mark, repeated)).toBeLessThan(SURE)
    const unmarked = await write(4, 'unmarked', {}, 4)
    expect(logP(mark, unmarked)).toBeGreaterThan(SURE)
  })
})

describe('scrubbing', () => {
  const evidenceLeft = async (mark: AnyWatermark, width: number) => {
    const texts = await write(4, 'to scrub', { watermark: mark, key })
    const attack = scrub(model, await stolenFrom(mark, 60, { width }), { share: 0.3 })
    const after = await attack.applyAll(
      texts.map((tokens, i) => ({ tokens, options: { seed: i, vocabSize } })),
    )
    for (const { distance } of after) expect(distance).toBeLessThanOrEqual(0.3 * LENGTH)
    const tokens = after.map((one) => one.tokens)
    return [logP(mark, texts), logP(mark, tokens)] as const
  }

  test('a third of the tokens washes Unigram out', async () => {
    const [before, after] = await evidenceLeft(unigram({ delta: 2 }), 0)
    expect(before).toBeLessThan(SURE)
    expect(after).toBeGreaterThan(SURE)
  })

  test('a third of the tokens leaves a strong mark without an estimate of it', async () => {
    const [before, after] = await evidenceLeft(unigram({ delta: 6 }), 2)
    expect(before).toBeLessThan(SURE)
    expect(after).toBeGreaterThan(before)
  })
})

describe('estimates', () => {
  test('a token that follows a context twice as often as it would has a positive preference, drawn to the shorter context', () => {
    const reference = [[0, 1, 0, 2, 0, 1, 0, 2]]
    const { preferences } = steal([[0, 1, 0, 1, 0, 1, 0, 1]], { vocabSize: 3, reference, width: 1, prior: 1 })
    // shares of 3 tokens without context: 4.5, 2.5, 2.5 of 9.5; k = 4, 4, 0 of 8; then after token 0: k = 0, 4, 0 of 4, shares 0.1184, 0.4671, 0.4145
    expect(preferences([2])[0]).toBe(preferences([])[0])
    const r1 = (4 + 1) / (8 * (2.5 / 9.5) + 1)
    const share = (2 + 2.5 / 9.5) / 5
    expect(preferences([0])[1]).toBeCloseTo(Math.log((4 + r1) / (4 * share + 1)), 10)
    expect(preferences([0])[2]).toBeLessThan(0)
    expect(preferences([2])[1]).toBeCloseTo(Math.log(r1), 10)
  })

  test('without a mark preferences are near 0', async () => {
    const { preferences } = steal(await write(60, 'a'), {
      vocabSize,
      reference: await write(60, 'b'),
      width: 0,
    })
    const all = preferences([])
    expect(all.reduce((sum, x) => sum + x * x, 0) / vocabSize).toBeLessThan(0.1)
  })

  test('wrong texts are named', () => {
    expect(() => steal([[1], [9]], { vocabSize: 3, reference: [] })).toThrow('marked[1][0]: expected')
  })
})
