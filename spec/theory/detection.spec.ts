import { describe, expect, test } from 'vitest'
import { binomial } from '../../src/core/detect/null-laws.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { harmonic } from '../../src/core/stats/harmonic.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { expectedScores } from '../../src/theory/expected-score.ts'
import { scoreLaw } from '../../src/theory/score-law.ts'
import { textBhattacharyya } from '../../src/theory/text-bhattacharyya.ts'
import { textQueryBudget } from '../../src/theory/text-query-budget.ts'
import { criticalSteps, tokensNeeded } from '../../src/theory/tokens-needed.ts'
import {
  type AnyWatermark,
  christ,
  deltaReweight,
  dipmark,
  expEdit,
  gumbel,
  mcmark,
  sta1,
  synthid,
  unigram,
  unwatermarked,
} from '../../src/watermarks/entry.ts'

const zipf = Float64Array.from({ length: 100 }, (_, i) => 1 / (i + 1))
const total = zipf.reduce((a, b) => a + b, 0)
for (let i = 0; i < zipf.length; i++) zipf[i]! /= total

describe('expected scores', () => {
  test('harmonic numbers', () => {
    expect(harmonic(0)).toBeCloseTo(0, 14)
    expect(harmonic(1)).toBeCloseTo(1, 14)
    expect(harmonic(4)).toBeCloseTo(25 / 12, 14)
    expect(harmonic(0.5)).toBeCloseTo(2 - 2 * Math.LN2, 14)
    let sum = 0
    for (let k = 1; k <= 1000; k++) sum += 1 / k
    expect(harmonic(1000)).toBeCloseTo(sum, 12)
  })

  test('a certain token carries no evidence: the null mean', () => {
    const certain = [1, 0, 0, 0]
    expect(expectedScores.sta1(certain)).toBe(0.5)
    expect(expectedScores.gumbel(certain)).toBeCloseTo(1, 14)
    expect(expectedScores.synthid(certain, 2)).toBe(1)
    expect(expectedScores.christ(certain)).toBe(2)
    expect(expectedScores.dipmark(certain, 0.4)).toBeCloseTo(0.5, 12)
    expect(expectedScores.mcmark(certain, 4)).toBeCloseTo(0.25, 12)
    expect(expectedScores.tilt(certain, 2)).toBeCloseTo(0.5, 12)
  })

  test('refuse what they cannot list', () => {
    expect(() => expectedScores.dipmark(zipf, 0.4)).toThrow(/p: expected at most 20 tokens/)
    expect(() => expectedScores.synthid([1], 3)).toThrow(/layers: expected an integer in \[1, 2\], got 3/)
  })
})

describe('the law of a score', () => {
  test('sums to one and has the mean of the closed form', () => {
    for (const watermark of [sta1(), gumbel()] as AnyWatermark[]) {
      const { low, high, exact } = scoreLaw(watermark, zipf)
      expect(exact).toBe(true)
      for (const law of [low, high]) expect(law.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9)
    }
    expect(scoreLaw(gumbel(), zipf).mean).toBe(expectedScores.gumbel(zipf))
  })

  test('is sampled over keys where nothing else is known, and says so', () => {
    const { exact, mean, low } = scoreLaw(synthid({ layers: 20 }), zipf, { keys: 200 })
    expect(exact).toBe(false)
    expect(low.length).toBeLessThanOrEqual(21)
    expect(mean).toBeGreaterThan(11)
    expect(scoreLaw(deltaReweight(), zipf, { keys: 50 }).exact).toBe(false)
  })
})

describe('laws follow the declaration, never the id', () => {
  const even = Float64Array.of(0.5, 0.5)

  test('published codes of STA-1: of two tokens exactly one is green', () => {
    // green first: kept; red first (1/2): sampled once more, green with probability 1/2
    expect(scoreLaw(sta1(), even)).toMatchObject({ mean: 0.625, exact: true })
    expect(scoreLaw(sta1({ codes: 'reference' }), even)).toMatchObject({ mean: 0.75, exact: true })
    expect(scoreLaw(sta1({ codes: 'reference' }), zipf, { keys: 5 }).exact).toBe(false)
  })

  test.each(['sta1', 'sta1(gamma=0.5)', 'gumbel', 'gumbel-like'])(
    "a watermark of somebody else called %s gets no other method's law",
    (id) => {
      const { mean, exact } = scoreLaw(defineWatermark({ ...mcmark({ channels: 4 }), id }), even)
      expect(mean).toBeCloseTo(expectedScores.mcmark(even, 4), 12)
      expect(exact).toBe(true)
      const undetected = defineWatermark({ ...unwatermarked(), id })
      expect(scoreLaw(undetected, even)).toMatchObject({ mean: 0, exact: true })
    },
  )

  test('a renamed copy keeps its closed form; a copy that scores or reweights otherwise has none', () => {
    const copy = defineWatermark({ ...gumbel(), id: 'mine' })
    expect(scoreLaw(copy, zipf)).toEqual(scoreLaw(gumbel(), zipf))
    const half = (token: number, code: { at(token: number): number }) => (code.at(token) < Math.LN2 ? 1 : 0)
    for (const changed of [{ ...gumbel(), score: half }, defineWatermark({ ...gumbel(), score: half })]) {
      const { mean, exact, step } = scoreLaw(changed, even, { keys: 2000 })
      expect([exact, step]).toEqual([false, 1])
      expect(mean).toBeLessThanOrEqual(1)
    }
    const lazy = defineWatermark({ ...sta1(), reweight: (p, _, q) => q.set(p) })
    expect(scoreLaw(lazy, even)).toMatchObject({ mean: 0.5, exact: true }) // by listing its codes
  })

  test('a closed form of your own is used', () => {
    const mine = defineWatermark({
      ...unwatermarked(),
      id: 'mine',
      markedScore: { mean: () => 1.5, tail: (_, s) => [1, 0.9, 0.6][s] ?? 0, most: 2 },
    })
    const { mean, low, step, exact } = scoreLaw(mine, even)
    expect({ mean, step, exact }).toEqual({ mean: 1.5, step: 1, exact: true })
    expect(Array.from(low, (x) => +x.toFixed(12))).toEqual([0.1, 0.3, 0.6])
  })
})

describe('tokens needed', () => {
  test('critical values are those of the exact tail', () => {
    expect([0.05, 0.01, 0.001].map((alpha) => criticalSteps(binomial(1 / 2), 500, alpha, 1))).toEqual([
      269, 277, 286,
    ])
    expect(criticalSteps(binomial(1 / 2), 3, 0.6, 1)).toBe(2)
  })

  test('fewer for a stronger watermark, none that would do for a certain token', () => {
    const needed = (alpha: number) => {
      const result = tokensNeeded(dipmark({ alpha }), Float64Array.of(0.5, 0.3, 0.2), 0.01, 0.9)
      return result.applicable ? result.high : Number.NaN
    }
    expect(needed(0.5)).toBeLessThan(needed(0.3))
    const certain = tokensNeeded(mcmark({ channels: 4 }), Float64Array.of(1, 0), 0.01, 0.9)
    expect(certain).toMatchObject({ applicable: true, high: Number.POSITIVE_INFINITY })
  })

  test('says where it does not apply, and why', () => {
    const reason = (result: ReturnType<typeof tokensNeeded>) => (result.applicable ? '' : result.reason)
    expect(reason(tokensNeeded(unwatermarked(), zipf, 0.01, 0.9))).toMatch(/no detector/)
    expect(reason(tokensNeeded(unigram({ delta: 2 }), zipf, 0.01, 0.9))).toMatch(/share their score/)
    expect(reason(tokensNeeded(christ(), zipf, 0.01, 0.9))).toMatch(/scan/)
    expect(reason(tokensNeeded(expEdit({ keyLength: 8 }), zipf, 0.01, 0.9))).toMatch(/alignment/)
    expect(() => tokensNeeded(sta1(), zipf, 0, 0.9)).toThrow(/alpha: expected a number in \(0, 1\), got 0/)
  })
})

describe('texts of a language model', () => {
  const model = markovModel({ vocabSize: 8, entropy: 1 })

  test('the identity has BC 1, and no number of generations is enough', async () => {
    const bc = await textBhattacharyya(unwatermarked(), model, {
      key: 'k',
      prompt: [1],
      length: 5,
      texts: 40,
    })
    expect(bc.estimate).toBeCloseTo(1, 9)
    expect(bc.texts).toBe(40)
    const budget = await textQueryBudget(unwatermarked(), model, {
      prompts: [[1]],
      length: 5,
      trials: 40,
      most: 8,
    })
    expect(budget.high).toBe(Number.POSITIVE_INFINITY)
    expect(budget.steps.map((step) => step.generations)).toEqual([1, 2, 4, 8])
  })

  test('the same seed gives the same numbers; another does not', async () => {
    const run = (seed: number) =>
      textBhattacharyya(dipmark({ alpha: 0.4 }), model, {
        key: 'k',
        prompt: [1, 2],
        length: 6,
        texts: 40,
        seed,
      })
    expect(await run(1)).toEqual(await run(1))
    expect((await run(1)).estimate).not.toBe((await run(2)).estimate)
  })

  test('names a wrong option', async () => {
    await expect(textQueryBudget(gumbel(), model, { prompts: [], length: 5 })).rejects.toThrow(
      /prompts: expected at least one/,
    )
    await expect(textQueryBudget(gumbel(), model, { prompts: [[1]], length: 0 })).rejects.toThrow(
      /length: expected an integer/,
    )
  })
})
