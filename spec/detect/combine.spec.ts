/** Evidence that adds up: e-values averaged whatever their dependence, multiplied where they are independent, and p-values turned into them. */
import { describe, expect, test } from 'vitest'
import { binomial, combine, detect, fixed, gumbel, stream } from '../../src/index.ts'
import { independentScores, keysOf, textsOf, type World } from './stream-worlds.ts'

const key = 'a secret of sixteen bytes'

/** The e-value of a p-value, as `combine` takes it. */
const calibrated = (p: number): number => combine([{ logPValue: Math.log(p) }]).eValue

describe('the e-value of a p-value', () => {
  test('has mean 1 for a uniform p', () => {
    // over x = -ln p: the integral of e(p) p dx, which falls like 1/x^2; the rest beyond the end is 1/end
    const end = 400
    const cells = 100_000
    let mean = 1 / end
    for (let i = 0; i < cells; i++) {
      const x = ((i + 0.5) * end) / cells
      mean += (calibrated(Math.exp(-x)) * Math.exp(-x) * end) / cells
    }
    expect(mean).toBeCloseTo(1, 5)
  })
  test('falls with p, from the far tail to 1/2', () => {
    const logs = [-1e6, -800, -30, -2, -0.01, -1.0001e-3, -0.9999e-3, -1e-9, 0]
    const values = logs.map((logPValue) => combine([{ logPValue }]).logEValue)
    for (let i = 1; i < logs.length; i++) expect(values[i]!).toBeLessThan(values[i - 1]!)
    expect(values[0]!).toBeCloseTo(1e6 - 2 * Math.log(1e6), 5)
    expect(values.at(-1)!).toBe(Math.log(1 / 2))
    expect(values[5]! - values[6]!).toBeLessThan(1e-7) // where the series takes over
  })
})

test('averages by default, multiplies independent parts, and takes its own results', () => {
  const parts = [2, 8, 0.5].map((e) => ({ logEValue: Math.log(e) }))
  expect(combine(parts).eValue).toBeCloseTo(3.5, 12)
  expect(combine(parts, { dependence: 'independent' }).eValue).toBeCloseTo(8, 12)
  expect(combine([combine(parts), combine(parts)], { dependence: 'independent' }).eValue).toBeCloseTo(
    12.25,
    12,
  )
  expect(combine(parts).pValue).toBeCloseTo(1 / 3.5, 12)
  expect(combine([{ logEValue: -3 }])).toMatchObject({ pValue: 1, logPValue: 0 })
  expect(combine([])).toEqual({ eValue: 1, logEValue: 0, pValue: 1, logPValue: 0 })
})

test('of a stream the e-value counts, not the p-value of its best moment', () => {
  const text = stream(gumbel(), { key, vocabSize: 50 })
  const last = [1, 2, 3, 4, 5, 6].map((token) => text.push(token)).at(-1)!
  expect(combine([last]).logEValue).toBe(last.logEValue)
  const detection = detect(gumbel(), [1, 2, 3, 4, 5, 6], { key, vocabSize: 50 })
  expect(combine([detection]).eValue).toBeCloseTo(calibrated(detection.pValue), 12)
})

describe('two texts under one key', () => {
  const world: World = {
    name: 'a fixed set',
    rule: fixed(),
    law: binomial(1 / 4),
    vocabSize: 2,
    codes: independentScores(2, [3 / 4, 1 / 4]),
  }
  /** The mean over all keys of what the two texts say together. */
  const mean = (texts: readonly number[][], dependence: 'any' | 'independent'): number => {
    let sum = 0
    for (const { watermark, weight } of keysOf(world, [''])) {
      const parts = texts.map((tokens) => {
        const text = stream(watermark, { key, vocabSize: 2 })
        return tokens.map((token) => text.push(token)).at(-1)!
      })
      sum += weight * combine(parts, { dependence }).eValue
    }
    return sum
  }
  test('averaged, the mean is 1 whatever they share', () => {
    for (const one of textsOf(2, 3))
      for (const other of textsOf(2, 3)) expect(mean([one, other], 'any')).toBeCloseTo(1, 12)
  })
  test('multiplied, it is 1 where they share no pair, and more where they do', () => {
    expect(mean([[0], [1, 1]], 'independent')).toBeCloseTo(1, 12)
    expect(mean([[0], [0, 1]], 'independent')).toBeGreaterThan(1.1)
  })
})

test('refused', () => {
  expect(() => combine([{ logPValue: 0.1 }])).toThrow('parts[0].logPValue: expected')
  expect(() => combine([{ logEValue: Number.NaN }])).toThrow('parts[0].logEValue: expected')
  expect(() => combine([1 as never])).toThrow(
    'parts[0]: expected what stream, detect or combine gives, got 1',
  )
  expect(() => combine([], { dependence: 'none' as never })).toThrow(
    "dependence: expected one of 'any', 'independent'",
  )
})
