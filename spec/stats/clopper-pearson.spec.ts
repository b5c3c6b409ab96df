import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  binomialTest,
  chernoffInterval,
  clopperPearson,
  logBinomialTail,
} from '../../src/core/stats/entry.ts'
import { exactBinomialTail, fraction } from './exact.ts'

describe('clopperPearson', () => {
  test('covers every rate with at least the stated probability, summed over all outcomes', () => {
    for (const n of [1, 2, 7, 30])
      for (const confidence of [0.8, 0.95, 0.999]) {
        const intervals = Array.from({ length: n + 1 }, (_, k) => clopperPearson(k, n, confidence))
        for (let i = 1; i < 40; i++) {
          const rate = i / 40
          let covered = 0
          intervals.forEach(({ low, high }, k) => {
            if (low <= rate && rate <= high)
              covered += Math.exp(logBinomialTail(k, n, rate)) - Math.exp(logBinomialTail(k + 1, n, rate))
          })
          expect(covered).toBeGreaterThanOrEqual(confidence - 1e-12)
        }
      }
  })

  test('at its ends the exact tail is half of what confidence leaves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, share) => {
          const k = Math.round(share * n)
          const { low, high } = clopperPearson(k, n, 0.95)
          if (k > 0) expect(exactBinomialTail(k, n, ...fraction(low))).toBeCloseTo(Math.log(0.025), 9)
          // P(X <= k) at `high` is P(n - X >= n - k)
          if (k < n)
            expect(exactBinomialTail(n - k, n, ...fraction(1 - high))).toBeCloseTo(Math.log(0.025), 9)
        },
      ),
      { numRuns: 50 },
    )
    expect(clopperPearson(7, 20, 0.95).low).toBeCloseTo(0.15391, 5)
    expect(clopperPearson(7, 20, 0.95).high).toBeCloseTo(0.59219, 5)
  })

  test('none and all have the closed forms', () => {
    expect(clopperPearson(0, 100, 0.95).low).toBe(0)
    expect(clopperPearson(0, 100, 0.95).high).toBeCloseTo(1 - 0.025 ** (1 / 100), 13)
    expect(clopperPearson(20_000, 20_000, 0.95).low).toBeCloseTo(0.025 ** (1 / 20_000), 13)
    expect(clopperPearson(20_000, 20_000, 0.95).high).toBe(1)
    expect(() => clopperPearson(3, 2)).toThrow('successes: expected an integer in [0, 2], got 3')
    expect(() => clopperPearson(0, 0)).toThrow('n: expected')
    expect(() => clopperPearson(1, 2, 1)).toThrow('confidence')
  })
})

describe('chernoffInterval', () => {
  test('holds Clopper-Pearson, and equals it at the ends', () => {
    for (const [k, n] of [
      [3, 10],
      [50, 100],
      [99, 100],
    ] as const) {
      const [wide, exact] = [chernoffInterval(k / n, n), clopperPearson(k, n)]
      expect(wide.low).toBeLessThanOrEqual(exact.low)
      expect(wide.high).toBeGreaterThanOrEqual(exact.high)
    }
    expect(chernoffInterval(1, 50).low).toBeCloseTo(clopperPearson(50, 50).low, 12)
    expect(chernoffInterval(0, 50).high).toBeCloseTo(clopperPearson(0, 50).high, 12)
  })
})

describe('binomialTest', () => {
  test('one-sided p-values are exact tails', () => {
    expect(binomialTest(60, 100, 0.5, 'greater').logPValue).toBeCloseTo(
      exactBinomialTail(60, 100, 1n, 2n),
      12,
    )
    expect(binomialTest(40, 100, 0.5, 'less').logPValue).toBeCloseTo(exactBinomialTail(60, 100, 1n, 2n), 12)
    const [num, den] = fraction(0.01)
    expect(binomialTest(9, 90, 0.01, 'greater').logPValue).toBeCloseTo(exactBinomialTail(9, 90, num, den), 10)
    expect(binomialTest(0, 50, 0.3, 'greater').pValue).toBe(1)
    expect(binomialTest(0, 0, 0.3).pValue).toBe(1)
  })

  test('the two-sided test is valid and rejects exactly what the interval leaves out', () => {
    for (const n of [5, 12, 40])
      for (const rate of [0.03, 0.3, 0.5]) {
        let rejected = 0
        for (let k = 0; k <= n; k++) {
          const { pValue } = binomialTest(k, n, rate)
          const { low, high } = clopperPearson(k, n, 0.95)
          expect(pValue < 0.05 - 1e-9).toBe(rate < low - 1e-9 || rate > high + 1e-9)
          if (pValue <= 0.05)
            rejected += Math.exp(logBinomialTail(k, n, rate)) - Math.exp(logBinomialTail(k + 1, n, rate))
        }
        expect(rejected).toBeLessThanOrEqual(0.05)
      }
    expect(() => binomialTest(1, 2, 0.5, 'both' as 'less')).toThrow("alternative: expected one of 'greater'")
  })
})
