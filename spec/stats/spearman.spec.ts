import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { midRanks, spearman } from '../../src/core/stats/entry.ts'

const sample = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
  minLength: 3,
  maxLength: 6,
})
const varied = (values: number[]) => new Set(values).size > 1

describe('spearman', () => {
  test('is 1 - 6 sum d^2 / (n^3 - n) without ties, and the correlation of the ranks with them', () => {
    expect(spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]).rho).toBeCloseTo(1 - (6 * 4) / 120, 14)
    fc.assert(
      fc.property(sample, (pairs) => {
        const [x, y] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
        fc.pre(varied(x) && varied(y))
        const [a, b] = [Array.from(midRanks(x)), Array.from(midRanks(y))]
        const centre = (x.length + 1) / 2
        const dot = (u: number[], v: number[]) =>
          u.reduce((sum, r, i) => sum + (r - centre) * (v[i]! - centre), 0)
        expect(spearman(x, y).rho).toBeCloseTo(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), 12)
      }),
    )
  })

  test('the exact p-value counts the orders, ties included', () => {
    const orders = (values: number[]): number[][] =>
      values.length < 2
        ? [values]
        : values.flatMap((v, i) => orders(values.filter((_, j) => j !== i)).map((rest) => [v, ...rest]))
    fc.assert(
      fc.property(sample, (pairs) => {
        const [x, y] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
        fc.pre(varied(x) && varied(y))
        const { rho, pValue } = spearman(x, y)
        const all = orders(y).map((order) => Math.abs(spearman(x, order).rho) >= Math.abs(rho) - 1e-12)
        expect(pValue).toBeCloseTo(all.filter(Boolean).length / all.length, 12)
      }),
      { numRuns: 10 },
    )
    expect(spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]).pValue).toBeCloseTo(2 / 120, 14)
    expect(spearman([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9]).pValue).toBeCloseTo(
      2 / 362_880,
      14,
    )
  })

  test('sampled permutations and the t approximation agree with one another away from the ends', () => {
    const x = Array.from({ length: 19 }, (_, i) => i)
    const y = x.map((i) => (i * 7) % 19)
    const sampled = spearman(x, y, { random: seededRandom(1, 'spearman') })
    const student = spearman(x, y)
    expect(sampled.method).toBe('permutations')
    expect(student.method).toBe('t')
    // 9,999 permutations: a standard error of at most 0.005; 0.04 is eight of them, the approximation's own error
    // 0.01 included
    expect(Math.abs(sampled.pValue - student.pValue)).toBeLessThan(0.04)
    // a perfect order is never certain: the smallest p-value is one over all orders looked at
    expect(spearman(x, x, { random: seededRandom(2) }).pValue).toBe(1 / 10_000)
    expect(spearman(x, x).pValue).toBe(0)
  })

  test('the interval holds the estimate, narrows with n, and is never a point', () => {
    const width = (n: number) => {
      const x = Array.from({ length: n }, (_, i) => i)
      const { rho, low, high } = spearman(
        x,
        x.map((i) => (i % 2 === 0 ? i + 3 : i - 2)),
      )
      expect(low).toBeLessThan(rho)
      expect(high).toBeGreaterThan(rho)
      return high - low
    }
    expect(width(40)).toBeLessThan(width(12))
    const perfect = spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    expect(perfect.high).toBe(1)
    expect(perfect.low).toBeLessThan(0.5)
    expect(spearman([1, 2, 3], [1, 3, 2])).toMatchObject({ low: -1, high: 1 })
  })

  test('bad input is named', () => {
    expect(() => spearman([1, 1], [1, 2])).toThrow('x: expected at least two different values')
    expect(() => spearman([1, 2], [1, 2, 3])).toThrow('y: expected 2 values, as many as x')
    expect(() => spearman([1, 2], [Number.NaN, 2])).toThrow('y[0]')
  })
})
