/** The sets on which a bias is looked for: their masses against a count token by token, and what is said about them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distributionOf, distributionRule } from '../../src/gate/laws/arbitraries/index.ts'
import { probabilities } from '../../src/gate/laws/fractions.ts'
import { tokenSets } from '../../src/gate/laws/token-sets.ts'

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

/** All sets as lists of tokens, found by projecting point masses. */
function members(p: Float64Array): number[][] {
  const sets = tokenSets(p, 1)
  const out = new Float64Array(sets.count)
  const lists = upTo(sets.count).map((): number[] => [])
  for (const token of upTo(p.length).filter((i) => p[i]! > 0)) {
    const q = new Float64Array(p.length)
    q[token] = 1
    sets.project(q, out)
    for (const [j, mass] of out.entries()) if (mass === 1) lists[j]!.push(token)
  }
  return lists
}

test('up to eight tokens: every set, once', () => {
  for (const weights of [[1, 3], [5, 0, 3, 2], upTo(8).map((i) => i + 1)]) {
    const p = probabilities(weights)
    const support = weights.filter((w) => w > 0).length
    const lists = members(p)
    expect(lists).toHaveLength(2 ** (support - 1) - 1)
    expect(new Set(lists.map(String)).size).toBe(lists.length)
  }
  expect(tokenSets(Float64Array.of(0, 1), 1).count).toBe(0)
})

test('a deviation on every set is the total variation', () => {
  const p = probabilities([4, 3, 2, 1])
  const q = probabilities([1, 4, 1, 4])
  const sets = tokenSets(p, 1)
  const out = new Float64Array(sets.count)
  sets.project(q, out)
  const largest = Math.max(...out.map((mass, j) => Math.abs(mass - sets.means[j]!)))
  const variation = p.reduce((sum, mass, i) => sum + Math.abs(mass - q[i]!), 0) / 2
  expect(largest).toBeCloseTo(variation, 14)
})

test('masses are those of a count token by token; no set twice, none trivial', () => {
  fc.assert(
    fc.property(distributionRule({ minTokens: 9, maxTokens: 700 }), (rule) => {
      const p = distributionOf(rule)
      const sets = tokenSets(p, 1)
      const lists = members(p)
      const out = new Float64Array(sets.count)
      sets.project(p, out)
      const support = p.filter((mass) => mass > 0).length
      for (const [j, list] of lists.entries()) {
        expect(out[j]).toBeCloseTo(
          list.reduce((sum, i) => sum + p[i]!, 0),
          12,
        )
        expect(sets.means[j]).toBeCloseTo(out[j]!, 12)
        expect(list.length).toBeGreaterThan(0)
        expect(list.length).toBeLessThan(support)
      }
      expect(new Set(lists.map(String)).size).toBe(lists.length)
    }),
    { numRuns: 30 },
  )
})

describe('the family at a size that is used', () => {
  const p = distributionOf({ shape: 'zipf', vocabSize: 50_257, exponent: 1, order: 7 })
  const sets = tokenSets(p, 1)
  const words = upTo(sets.count).map((j) => sets.describe(j))

  test.each([
    'the most probable token',
    'the 64 most probable tokens',
    'tokens with p >= 0.001',
    'tokens with p < 0.00001',
    'ids with bit 0 set',
    'ids with bit 14 set',
    'ids from 32,768 on',
    'the last 17 ids (vocabulary size modulo 32)',
    'ids that leave 3 modulo 7',
    'a random half of the ids (number 0)',
  ])('%s', (name) => {
    expect(words.map((one) => one.words.replace('clear', 'set').replace(', complement', ''))).toContain(name)
  })
  test('each is told by its smaller side', () => {
    for (const { mass } of words) {
      expect(mass).toBeGreaterThan(0)
      expect(mass).toBeLessThanOrEqual(0.5)
    }
    expect(sets.count).toBeLessThan(128)
  })
  test('sums of few masses and of many agree', () => {
    const few = new Float64Array(p.length)
    const many = new Float64Array(p.length)
    for (let i = 0; i < p.length; i++) {
      if (i % 100 === 0) few[i] = 1 / 503
      many[i] = i % 100 === 0 ? 1 / 503 : 1e-300
    }
    const [a, b] = [new Float64Array(sets.count), new Float64Array(sets.count)]
    expect(sets.project(few, a)).toHaveLength(503)
    expect(sets.project(many, b)).toBeUndefined()
    for (const [j, mass] of a.entries()) expect(b[j]).toBeCloseTo(mass, 12)
  })
})

test.each<[string, number[], string]>([
  ['NaN', [0.5, Number.NaN, 0.5, 0], 'q[1] is NaN, no probability'],
  ['negative', [0.6, -0.1, 0.5, 0], 'q[1] is -0.1, no probability'],
  ['a sum that is not 1', [0.5, 0.2, 0.2, 0], 'q sums to 0.8999'],
  ['mass where p has none', [0.5, 0.2, 0.2, 0.1], 'q gives 0.100 to tokens to which p gives nothing'],
])('%s is no distribution', (_, q, message) => {
  const sets = tokenSets(probabilities([2, 1, 1, 0]), 1)
  expect(() => sets.project(Float64Array.from(q), new Float64Array(sets.count))).toThrow(message)
})
