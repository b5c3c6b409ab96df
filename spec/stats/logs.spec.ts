import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bisect } from '../../src/core/stats/bisect.ts'
import { log1mexp, logSumExp, totalVariation } from '../../src/core/stats/entry.ts'

test('log1mexp keeps its digits at both ends', () => {
  // 1 - e^-x = x - x^2/2 + ... for small x
  expect(log1mexp(-1e-20)).toBeCloseTo(-20 * Math.LN10, 12)
  expect(log1mexp(-50) / -Math.exp(-50)).toBeCloseTo(1, 14)
  expect(log1mexp(-Math.LN2)).toBeCloseTo(-Math.LN2, 15)
  expect(log1mexp(0)).toBe(Number.NEGATIVE_INFINITY)
  expect(log1mexp(Number.NEGATIVE_INFINITY)).toBeCloseTo(0, 15)
  expect(() => log1mexp(0.1)).toThrow('a: expected a number in [-Infinity, 0], got 0.1')
})

test('logSumExp is the logarithm of a sum that would over- or underflow', () => {
  expect(logSumExp([-1000, -1000])).toBeCloseTo(-1000 + Math.LN2, 12)
  expect(logSumExp([1000, 1000, Number.NEGATIVE_INFINITY])).toBeCloseTo(1000 + Math.LN2, 12)
  expect(logSumExp([])).toBe(Number.NEGATIVE_INFINITY)
  expect(logSumExp([Number.NEGATIVE_INFINITY])).toBe(Number.NEGATIVE_INFINITY)
  expect(() => logSumExp([0, Number.NaN])).toThrow('logs[1]')
  fc.assert(
    fc.property(fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 1 }), (logs) => {
      const plain = Math.log(logs.reduce((sum, a) => sum + Math.exp(a), 0))
      expect(logSumExp(logs)).toBeCloseTo(plain, 10)
    }),
  )
})

test('totalVariation is the largest difference over events, found by trying all of them', () => {
  const masses = fc
    .array(fc.nat({ max: 20 }), { minLength: 4, maxLength: 4 })
    .filter((w) => w.some((x) => x > 0))
  const law = (w: number[]) => w.map((x) => x / w.reduce((a, b) => a + b, 0))
  fc.assert(
    fc.property(masses, masses, (a, b) => {
      const [p, q] = [law(a), law(b)]
      let largest = 0
      for (let event = 0; event < 16; event++) {
        const difference = p.reduce((sum, x, i) => sum + ((event >> i) & 1) * (x - q[i]!), 0)
        largest = Math.max(largest, difference)
      }
      expect(totalVariation(p, q)).toBeCloseTo(largest, 12)
    }),
  )
  expect(() => totalVariation([1], [0.5, 0.5])).toThrow('q: expected 1 values, as many as p')
})

test('bisect finds the last bit', () => {
  const root = bisect((x) => x * x <= 2, 0, 2)
  expect(root * root).toBeLessThanOrEqual(2)
  expect((root + Number.EPSILON) ** 2).toBeGreaterThan(2)
  expect(bisect((x) => x <= 3, 0, 2)).toBe(2)
  expect(bisect((x) => x < 0, 0, 2)).toBe(0)
})
