import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  keySeed,
  nextToken,
  text,
  textsOf,
  toyModel,
  type WeightsConstraints,
  weights,
} from '../../src/gate/laws/entry.ts'
import { fractions, probabilities } from '../../src/gate/laws/fractions.ts'

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
  const mass = (w: number[]): number => w.filter((x) => x > 0).length
  /** What a predicate shrinks to, from a hundred seeds. */
  const shrunk = (predicate: (w: number[]) => boolean, constraints: WeightsConstraints = {}): number[][] =>
    Array.from(
      { length: 100 },
      (_, seed) =>
        fc.check(fc.property(weights(constraints), predicate), { seed, numRuns: 1000 }).counterexample![0],
    )

  test.each<[string, (w: number[]) => boolean, WeightsConstraints, number[]]>([
    ['one token has more than 70%', (w) => mass(w) < 2 || max(w) / sum(w) <= 0.7, {}, [1, 3]],
    ['the first has more than 70%', (w) => mass(w) < 2 || w[0]! / sum(w) <= 0.7, {}, [3, 1]],
    ['three tokens have mass', (w) => mass(w) < 3, {}, [1, 1, 1]],
    ['two have different mass', (w) => new Set(w.filter((x) => x > 0)).size < 2, {}, [1, 2]],
    ['a token without mass', (w) => !w.includes(0), {}, [0, 1]],
    ['always', () => false, {}, [1]],
    ['always, of two tokens', () => false, { minTokens: 2 }, [0, 1]],
  ])('shrink to the simplest list that fails: %s', (_, predicate, constraints, simplest) => {
    for (const w of shrunk(predicate, constraints)) expect(w).toEqual(simplest)
  })

  test('shrink to a local minimum where the simplest failure is on no list', () => {
    // three tokens have mass and one more than 85%: no total below 14 will do
    const passes = (w: number[]): boolean => mass(w) < 3 || max(w) / sum(w) <= 0.85
    for (const w of shrunk(passes)) expect(w.toSorted((a, b) => a - b)).toEqual([1, 1, 12])
    // a sum of at least 1000 over at least two tokens: fewer tokens, or one less anywhere, and it is no failure
    const light = (w: number[]): boolean => w.length < 2 || sum(w) < 1000
    for (const w of shrunk(light)) expect([w.length, sum(w)]).toEqual([2, 1000])
    for (const w of shrunk(() => false, { minTokens: 6 })) expect([w.length, sum(w)]).toEqual([6, 1])
  })

  test('shrink within their constraints, in a few dozen steps', () => {
    const constraints = { minTokens: 3, maxTokens: 5, maxWeight: 50 }
    for (let seed = 0; seed < 100; seed++) {
      let tried = 0
      const passes = (w: number[]): boolean => {
        tried++
        expect(w.length).toBeGreaterThanOrEqual(3)
        expect(w.length).toBeLessThanOrEqual(5)
        expect(max(w)).toBeLessThanOrEqual(50)
        return w[2]! < 40
      }
      const { counterexample, numRuns } = fc.check(fc.property(weights(constraints), passes), {
        seed,
        numRuns: 1000,
      })
      expect(counterexample![0]).toEqual([0, 0, 40])
      expect(tried - numRuns).toBeLessThan(100)
    }
  })

  test('shrink from an example too', () => {
    const details = fc.check(
      fc.property(fc.record({ w: weights(), keys: keySeed() }), ({ w }) => max(w) / sum(w) < 0.5),
      { examples: [[{ w: [30, 3, 2, 1, 1, 1], keys: 5 }]] },
    )
    expect(details.counterexample![0]).toEqual({ w: [1], keys: 5 })
    const corner = fc.check(
      fc.property(weights(), (w) => mass(w) < 2),
      { examples: [[[1, 5e-324]]] },
    )
    expect(corner.counterexample![0]).toEqual([1, 1])
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
