import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fractions,
  keySeed,
  nextToken,
  probabilities,
  text,
  textsOf,
  toyModel,
  weights,
} from '../../src/laws/index.ts'

test('fractions are in lowest terms', () => {
  expect(fractions([2, 6, 0])).toEqual(['1/4', '3/4', '0'])
  expect(fractions([0, 5])).toEqual(['0', '1'])
  expect(fractions([1, 1, 1])).toEqual(['1/3', '1/3', '1/3'])
  expect(fractions([1, 5e-324])).toEqual(['1', '5e-324'])
})

describe('weights', () => {
  const sample = fc.sample(weights({ minTokens: 2, maxTokens: 6 }), { numRuns: 2000, seed: 1 })
  const has = (what: (w: number[]) => boolean): boolean => sample.some(what)
  const max = (w: number[]): number => Math.max(...w)
  const sum = (w: number[]): number => w.reduce((a, b) => a + b, 0)
  test('keep their constraints and normalise to 1', () => {
    for (const w of sample) {
      expect(w.length).toBeGreaterThanOrEqual(2)
      expect(w.length).toBeLessThanOrEqual(6)
      expect(probabilities(w).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14)
    }
  })
  test('come in every shape', () => {
    expect(has((w) => w.every((x) => x === w[0]))).toBe(true) // uniform
    expect(has((w) => w[0] === 840 && w[1] === 420)).toBe(true) // Zipf
    expect(has((w) => max(w) / sum(w) > 0.999 && w.every((x) => x > 0))).toBe(true) // nearly deterministic
    expect(has((w) => w.filter((x) => x > 0).length === 1)).toBe(true) // a point mass
    expect(has((w) => w.includes(0) && w.filter((x) => x > 0).length > 1)).toBe(true) // zeros
    expect(has((w) => new Set(w).size < w.length && new Set(w).size > 1)).toBe(true) // ties
    expect(has((w) => max(w) / sum(w) > 0.7 && max(w) / sum(w) < 0.95)).toBe(true) // one heavy token
  })
  test('shrink to something that a person can read, from a hundred starts', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const run = (predicate: (w: number[]) => boolean): number[] =>
        fc.check(fc.property(weights({ minTokens: 2 }), predicate), { seed }).counterexample![0]
      // fails wherever two tokens have mass and one has more than 70%; the fewest tokens that can are two, and shrinking is greedy
      const heavy = run((w) => w.filter((x) => x > 0).length < 2 || max(w) / sum(w) <= 0.7)
      expect(heavy.length, `${heavy}`).toBeLessThanOrEqual(3)
      const three = run((w) => w.filter((x) => x > 0).length < 3)
      expect(
        three.filter((x) => x > 0),
        `${three}`,
      ).toEqual([1, 1, 1])
    }
  })

  test('shrink from an example too', () => {
    const details = fc.check(
      fc.property(fc.record({ w: weights(), keys: keySeed() }), ({ w }) => max(w) / sum(w) < 0.5),
      { examples: [[{ w: [30, 3, 2, 1, 1, 1], keys: 5 }]] },
    )
    expect(details.counterexample![0]).toEqual({ w: [1], keys: 5 })
  })
})

test('texts repeat themselves', () => {
  const sample = fc.sample(text({ vocabSize: 50, minLength: 2, maxLength: 60 }), { numRuns: 300, seed: 1 })
  const repeats = (tokens: number[]): boolean => {
    const pairs = tokens.slice(1).map((token, i) => `${tokens[i]},${token}`)
    return new Set(pairs).size < pairs.length
  }
  expect(sample.filter(repeats).length).toBeGreaterThan(60)
  for (const tokens of sample) {
    expect(tokens.length).toBeGreaterThanOrEqual(2)
    expect(tokens.length).toBeLessThanOrEqual(60)
    expect(tokens.every((t) => t >= 0 && t < 50)).toBe(true)
  }
})

test('toy models give a distribution after every prefix', () => {
  fc.assert(
    fc.property(toyModel(3), (model) => {
      for (const prefix of textsOf(3, 2)) {
        const p = nextToken(model, prefix)
        expect(p.length).toBe(3)
        expect(p.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14)
      }
    }),
  )
  expect([...textsOf(2, 3)]).toHaveLength(8)
})
