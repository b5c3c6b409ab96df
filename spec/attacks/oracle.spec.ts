/** Attacks that ask a detector, and what answers of two kinds are worth. */
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { editDistance, type Oracle, oracleForge, oracleRemove } from '../../src/text/attacks/entry.ts'
import { generate, markovModel } from '../../src/text/models/entry.ts'
import { gumbel } from '../../src/watermarks/entry.ts'

const vocabSize = 100
const model = markovModel({ vocabSize, entropy: 3 })
const key = 'the key of the server'
const watermark = gumbel()
const p = (tokens: readonly number[]) => detect(watermark, tokens, { key, vocabSize }).pValue
const asked: number[][] = []
const pValues: Oracle = (tokens) => {
  asked.push([...tokens])
  return p(tokens)
}
const decisions: Oracle = async (tokens) => p(tokens) <= 0.01
const text = async (seed: number, mark = true) =>
  (await generate(model, [1], { maxNewTokens: 60, seed, ...(mark && { watermark, key }) }))[0]!.tokens
const options = { vocabSize, seed: 1 }

describe('removing a mark', () => {
  test('with p-values: every question counts, and the last answer is no', async () => {
    const tokens = await text(1)
    asked.length = 0
    const found = await oracleRemove(tokens, pValues, { ...options, budget: 2000 })
    expect(found.success).toBe(true)
    expect(p(found.tokens)).toBeGreaterThan(0.01)
    expect(found.queries).toBe(asked.length)
    expect(found.distance).toBe(editDistance(tokens, found.tokens))
  })

  test('with decisions: no edit that is left can be taken back', async () => {
    const tokens = await text(2)
    const found = await oracleRemove(tokens, decisions, { ...options, budget: 2000 })
    expect(found.success).toBe(true)
    expect(p(found.tokens)).toBeGreaterThan(0.01)
    expect(found.distance).toBeLessThan(60)
  })

  test('a budget is kept, and a text that is not detected is left alone', async () => {
    const short = await oracleRemove(await text(3), pValues, { ...options, budget: 5 })
    expect([short.success, short.queries]).toEqual([false, 5])
    const plain = Array.from({ length: 20 }, () => 7)
    expect(await oracleRemove(plain, () => 0.5, { ...options, budget: 9 })).toEqual({
      tokens: plain,
      queries: 1,
      distance: 0,
      success: true,
    })
  })

  test('proposals that never change anything end, without a question each', async () => {
    const tokens = await text(5)
    const found = await oracleRemove(tokens, () => 0.001, {
      ...options,
      budget: 1000,
      propose: (t, at) => t[at]!,
    })
    expect(found).toEqual({ tokens, queries: 1, distance: 0, success: false })
  })

  test('a budget without an end is refused', async () => {
    await expect(oracleRemove([1, 2, 3], () => 0.001, { ...options, budget: 2 ** 53 })).rejects.toThrow(
      /^budget: expected an integer in \[1, 1000000\]/,
    )
  })

  test('a detector that says yes to everything cannot be beaten', async () => {
    const { success } = await oracleRemove(await text(4), () => true, { ...options, budget: 500 })
    expect(success).toBe(false)
  })
})

/** Every edit that is kept lowers p; of 2,000 random ones of 60 scores none helps with probability below 1e-100. */
describe('forging a mark', () => {
  test('p-values lead from unmarked text to a detected one', async () => {
    const plain = await text(5, false)
    const found = await oracleForge(plain, pValues, { ...options, budget: 2000 })
    expect(found.success).toBe(true)
    expect(p(found.tokens)).toBeLessThanOrEqual(0.01)
  })

  test('decisions alone lead nowhere, but keep the words that a marked text can carry', async () => {
    const [plain, marked] = [await text(6, false), await text(6)]
    const silent: Oracle = () => false
    expect((await oracleForge(plain, silent, { ...options, budget: 500 })).success).toBe(false)
    const found = await oracleForge(plain, decisions, { ...options, budget: 500, from: marked })
    expect(found.success).toBe(true)
    expect(p(found.tokens)).toBeLessThanOrEqual(0.01)
    expect(found.distance).toBeLessThan(editDistance(plain, marked))
  })

  test('wrong answers and texts are named', async () => {
    const budget = { ...options, budget: 10 }
    // @ts-expect-error: not an answer
    await expect(oracleForge([1, 2], () => 'yes', budget)).rejects.toThrow('oracle: expected true, false')
    await expect(oracleForge([1, 2], decisions, { ...budget, from: [1] })).rejects.toThrow(
      'from: expected 2 tokens, as many as the text, got 1',
    )
  })
})
