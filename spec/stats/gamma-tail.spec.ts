import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logGammaTail, logNormalTail } from '../../src/core/stats/entry.ts'
import { exactGammaTail, exactNormalTail } from './exact.ts'

const close = (got: number, exact: number) => {
  expect(Number.isNaN(got)).toBe(false)
  expect(Math.abs(got - exact)).toBeLessThanOrEqual(Math.max(1e-10, 1e-13 * Math.abs(exact)))
}

describe('logGammaTail', () => {
  test('agrees with -x + ln of the exact sum of x^j/j! for whole shapes', () => {
    const shape = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 500 }))
    fc.assert(
      fc.property(shape, fc.double({ min: 0.001, max: 8, noNaN: true }), (shape, times) => {
        const x = Math.round(shape * times * 1024) / 1024
        close(logGammaTail(x, shape), exactGammaTail(x, shape))
      }),
      { numRuns: 300 },
    )
  })

  test('agrees at the sizes of a long text, at the mean and far out', () => {
    for (const shape of [1, 2, 499, 500, 5000])
      for (const z of [-5, -1, 0, 0.5, 1, 5, 20, 40]) {
        const x = Math.round(shape + z * Math.sqrt(shape))
        if (x >= 0) close(logGammaTail(x, shape), exactGammaTail(x, shape))
      }
  })

  test('the recurrence Q(a+1, x) = Q(a, x) + x^a e^-x / Γ(a+1) ties real shapes to the half-whole ones', () => {
    // Γ(a+1) at a = 1/2, 3/2, ... from Γ(1/2) = sqrt(π); Q(1/2, ·) is checked below through the normal law
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.double({ min: 0.01, max: 200, noNaN: true }),
        (steps, x) => {
          let expected = 2 * Math.exp(exactNormalTail(Math.sqrt(2 * x)))
          let term = (Math.sqrt(x) * Math.exp(-x)) / (Math.sqrt(Math.PI) / 2)
          for (let j = 0; j < steps; j++) {
            expected += term
            term *= x / (j + 1.5)
          }
          expect(Math.exp(logGammaTail(x, steps + 0.5)) / expected).toBeCloseTo(1, 11)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('the ends', () => {
    expect(logGammaTail(0, 500)).toBe(0)
    expect(logGammaTail(-1, 500)).toBe(0)
    expect(logGammaTail(Number.POSITIVE_INFINITY, 500)).toBe(Number.NEGATIVE_INFINITY)
    expect(logGammaTail(1e300, 500)).toBeCloseTo(-1e300, -290)
    expect(logGammaTail(1e-300, 1)).toBeCloseTo(0, 15)
    expect(logGammaTail(3, 1)).toBeCloseTo(-3, 13)
  })

  test('bad arguments are named', () => {
    expect(() => logGammaTail(Number.NaN, 1)).toThrow('x: expected a number')
    expect(() => logGammaTail(1, 0)).toThrow('shape: expected a number in [0.5')
  })
})

describe('logNormalTail', () => {
  test('agrees with the exact alternating series, from the middle to 1e-300', () => {
    fc.assert(
      fc.property(fc.double({ min: -8, max: 37.5, noNaN: true }), (raw) => {
        const z = Math.round(raw * 4096) / 4096
        close(logNormalTail(z), exactNormalTail(z))
      }),
      { numRuns: 60 },
    )
  })

  test('the ends', () => {
    expect(logNormalTail(0)).toBeCloseTo(-Math.LN2, 15)
    expect(logNormalTail(Number.POSITIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY)
    expect(logNormalTail(Number.NEGATIVE_INFINITY)).toBe(0)
    expect(logNormalTail(1e200)).toBe(-Number.MAX_VALUE)
    expect(logNormalTail(-1e200)).toBeCloseTo(0, 15)
    expect(() => logNormalTail(Number.NaN)).toThrow('z: expected a number')
  })
})
