import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expNegative } from '../../src/models/softmax.ts'

describe('e^x for x <= 0', () => {
  test('agrees with Math.exp to 1e-15 over the range of normal numbers', () => {
    fc.assert(
      fc.property(fc.double({ min: -708, max: 0, noNaN: true }), (x) => {
        expect(Math.abs(expNegative(x) / Math.exp(x) - 1)).toBeLessThan(1e-15)
      }),
      { numRuns: 20_000 },
    )
  })

  test('at the ends of a table step', () => {
    for (let n = -3000; n <= 0; n++)
      for (const shift of [-0.5, 0, 0.4999]) {
        const x = Math.min(0, ((n + shift) * Math.LN2) / 1024)
        expect(Math.abs(expNegative(x) / Math.exp(x) - 1)).toBeLessThan(1e-15)
      }
  })

  test('is exactly 1 at 0, fades through the subnormal numbers, and ends in 0', () => {
    expect([0, -0].map(expNegative)).toEqual([1, 1])
    expect(Math.abs(expNegative(-740) - Math.exp(-740))).toBeLessThanOrEqual(Number.MIN_VALUE)
    expect(expNegative(-740)).toBeGreaterThan(0)
    expect([-746, -1e300, Number.NEGATIVE_INFINITY].map(expNegative)).toEqual([0, 0, 0])
  })
})
