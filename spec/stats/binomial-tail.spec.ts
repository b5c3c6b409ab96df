import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { exactBinomialTail, fraction } from './exact.ts'

/**
 * Relative error 1e-10 of the probability is an absolute 1e-10 of its logarithm; beyond 1e-300 the log's own digits.
 */
const close = (got: number, exact: number) => {
  expect(Number.isNaN(got)).toBe(false)
  expect(Math.abs(got - exact)).toBeLessThanOrEqual(Math.max(1e-10, 1e-13 * Math.abs(exact)))
}

describe('logBinomialTail', () => {
  test('agrees with exact rational sums for any n, k and rate', () => {
    const rate = fc.oneof(
      fc.constantFrom(0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.99, 1 / 3, 1e-9, 1 - 2 ** -40),
      fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }),
    )
    const n = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 }))
    fc.assert(
      fc.property(n, fc.double({ min: 0, max: 1, noNaN: true }), rate, (n, share, rate) => {
        const k = Math.round(share * n)
        close(logBinomialTail(k, n, rate), exactBinomialTail(k, n, ...fraction(rate)))
      }),
      { numRuns: 400 },
    )
  })

  test('agrees around the mean and out to 1e-300 at the sizes of a long text', () => {
    const cases: [n: number, num: bigint, den: bigint][] = [
      [20_000, 1n, 2n],
      [20_000, 1n, 4n],
      [20_000, 1n, 128n],
      [20_000, 127n, 128n],
      [2_000, 1n, 100n],
      [10_000, 1n, 10n],
    ]
    for (const [n, num, den] of cases) {
      const rate = Number(num) / Number(den)
      const sd = Math.sqrt(n * rate * (1 - rate))
      for (const z of [-5, -1, -0.01, 0.01, 1, 5, 15, 36]) {
        const k = Math.min(n, Math.round(n * rate + z * sd))
        close(logBinomialTail(k, n, rate), exactBinomialTail(k, n, num, den))
      }
    }
  })

  test('the whole tail and the impossible are exact, and only the impossible is -Infinity', () => {
    expect(logBinomialTail(0, 10, 0.3)).toBe(0)
    expect(logBinomialTail(-3, 10, 0.3)).toBe(0)
    expect(logBinomialTail(0, 0, 0.3)).toBe(0)
    expect(logBinomialTail(11, 10, 0.3)).toBe(Number.NEGATIVE_INFINITY)
    expect(logBinomialTail(1, 10, 0)).toBe(Number.NEGATIVE_INFINITY)
    expect(logBinomialTail(10, 10, 1)).toBe(0)
    expect(logBinomialTail(20_000, 20_000, 0.01)).toBeCloseTo(20_000 * Math.log(0.01), 8)
    expect(logBinomialTail(3, 5, 5e-324)).toBeGreaterThan(-3000)
  })

  test('P(X >= k) and P(X < k) add up to one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30_000 }),
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (n, z, rate) => {
          const k = Math.round(n * rate + z * Math.sqrt(n * rate * (1 - rate)))
          const above = Math.exp(logBinomialTail(k, n, rate))
          const below = Math.exp(logBinomialTail(n - k + 1, n, 1 - rate))
          expect(above + below).toBeCloseTo(1, 11)
        },
      ),
    )
  })

  test('bad arguments are named', () => {
    expect(() => logBinomialTail(1.5, 10, 0.5)).toThrow('k: expected an integer')
    expect(() => logBinomialTail(1, -1, 0.5)).toThrow('n: expected an integer of at least 0, got -1')
    expect(() => logBinomialTail(1, 10, 1.5)).toThrow('rate: expected a number in [0, 1], got 1.5')
    expect(() => logBinomialTail(1, 10, Number.NaN)).toThrow('rate')
  })
})
