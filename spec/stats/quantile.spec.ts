import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logBinomialTail, median, quantile, quantileInterval } from '../../src/core/stats/entry.ts'

describe('quantile', () => {
  test('is linear between order statistics, whatever the order given', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
    expect(quantile([4, 1, 3, 2], 0)).toBe(1)
    expect(quantile([4, 1, 3, 2], 1)).toBe(4)
    expect(quantile([10, 20, 30, 40, 50], 0.9)).toBeCloseTo(46, 12)
    expect(median([3, 1, 2])).toBe(2)
    expect(median([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 1])).toBe(Number.NEGATIVE_INFINITY)
    expect(() => median([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])).toThrow('values')
    expect(() => quantile([], 0.5)).toThrow('values: expected at least 1 value')
    expect(() => quantile([1], 2)).toThrow('level')
  })

  test('grows with the level', () => {
    const values = fc.array(fc.double({ noNaN: true, min: -100, max: 100 }), { minLength: 1 })
    const level = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(values, level, level, (values, a, b) => {
        expect(quantile(values, Math.min(a, b))).toBeLessThanOrEqual(quantile(values, Math.max(a, b)) + 1e-12)
      }),
    )
  })
})

describe('quantileInterval', () => {
  test('covers the quantile of every law with the stated probability: worst case over atoms, exactly', () => {
    // for a law with mass `below` strictly under the quantile and `upTo` at or under it, the interval misses
    // when the low rank lies above the quantile or the high one below it: both are binomial events
    for (const n of [5, 9, 30, 200])
      for (const level of [0.05, 0.5, 0.9])
        for (const confidence of [0.9, 0.95, 0.999]) {
          const values = Array.from({ length: n }, (_, i) => i + 1)
          const { low, high, coverage } = quantileInterval(values, level, confidence)
          expect(coverage).toBeGreaterThanOrEqual(confidence)
          for (const [below, upTo] of [
            [level, level],
            [level / 2, level],
            [level, (1 + level) / 2],
          ] as const) {
            const r = low === Number.NEGATIVE_INFINITY ? 0 : low
            const s = high === Number.POSITIVE_INFINITY ? n + 1 : high
            const over = r === 0 ? 0 : Math.exp(logBinomialTail(n - r + 1, n, 1 - upTo)) // fewer than r at or under it
            const under = s === n + 1 ? 0 : Math.exp(logBinomialTail(s, n, below)) // at least s strictly under it
            expect(over + under).toBeLessThanOrEqual(1 - coverage + 1e-12)
          }
        }
  })

  test('its ranks cannot be moved inwards', () => {
    const n = 101
    const { low, high } = quantileInterval(
      Array.from({ length: n }, (_, i) => i + 1),
      0.5,
      0.95,
    )
    expect(Math.exp(logBinomialTail(n - low, n, 0.5))).toBeGreaterThan(0.025)
    expect(Math.exp(logBinomialTail(high - 1, n, 0.5))).toBeGreaterThan(0.025)
  })

  test('too few values leave an end open', () => {
    expect(quantileInterval([1, 2, 3, 4, 5], 0.5, 0.95)).toMatchObject({
      low: Number.NEGATIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
      coverage: 1,
    })
    expect(quantileInterval([3, 1, 2, 6, 5, 4], 0.5, 0.95)).toMatchObject({ low: 1, high: 6 })
  })
})
