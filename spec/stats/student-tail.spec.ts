import fc from 'fast-check'
import jstat from 'jstat'
import { describe, expect, test } from 'vitest'
import {
  logChiSquareTail,
  logNormalTail,
  logStudentTail,
  meanInterval,
  normalQuantile,
} from '../../src/core/stats/entry.ts'

describe('logStudentTail', () => {
  test('agrees with jstat in the middle, as far as jstat is accurate (4e-8)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: -6, max: 6, noNaN: true }),
        (freedom, t) => {
          expect(Math.exp(logStudentTail(t, freedom))).toBeCloseTo(1 - jstat.studentt.cdf(t, freedom), 6)
        },
      ),
    )
  })

  test('one, two and three degrees of freedom have closed forms, far tails included', () => {
    for (const t of [0.01, 1, 5, 100, 1e6, 1e12]) {
      expect(logStudentTail(t, 1)).toBeCloseTo(Math.log(Math.atan2(1, t) / Math.PI), 11)
      // 1/2 - t / (2 sqrt(2 + t^2)), without its cancellation
      const root = Math.sqrt(2 + t * t)
      expect(logStudentTail(t, 2)).toBeCloseTo(Math.log(1 / (root * (root + t))), 11)
    }
    for (const t of [0.1, 1, 3]) {
      const u = t / Math.sqrt(3)
      expect(Math.exp(logStudentTail(t, 3))).toBeCloseTo(0.5 - (Math.atan(u) + u / (1 + u * u)) / Math.PI, 13)
    }
  })

  test('nears the normal law, and has no NaN at the ends', () => {
    // Hill's expansion: ln of the ratio is about z(z^2+1)/(4 freedom) times the normal hazard, here 2.5e-5
    expect(logStudentTail(3, 1e6) - logNormalTail(3)).toBeCloseTo((3 * 10 * 3.2831) / 4e6, 7)
    expect(logStudentTail(0, 5)).toBeCloseTo(-Math.LN2, 15)
    expect(logStudentTail(1e-200, 5)).toBeCloseTo(-Math.LN2, 15)
    expect(logStudentTail(Number.POSITIVE_INFINITY, 5)).toBe(Number.NEGATIVE_INFINITY)
    expect(logStudentTail(Number.NEGATIVE_INFINITY, 5)).toBe(0)
    expect(Number.isFinite(logStudentTail(1e200, 5))).toBe(true)
    expect(() => logStudentTail(Number.NaN, 5)).toThrow('t: expected')
  })
})

test('logChiSquareTail agrees with jstat in the middle and with -x/2 at two degrees of freedom', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 3, noNaN: true }),
      (freedom, times) => {
        const x = freedom * times
        expect(Math.exp(logChiSquareTail(x, freedom))).toBeCloseTo(1 - jstat.chisquare.cdf(x, freedom), 9)
      },
    ),
  )
  expect(logChiSquareTail(3000, 2)).toBeCloseTo(-1500, 9)
})

test('normalQuantile inverts logNormalTail', () => {
  for (const p of [1e-300, 1e-20, 1e-3, 0.2, 0.5, 0.8, 0.975, 1 - 1e-12]) {
    const z = normalQuantile(p)
    expect(logNormalTail(-z)).toBeCloseTo(Math.log(p), 9)
  }
  expect(normalQuantile(0.975)).toBeCloseTo(jstat.normal.inv(0.975, 0, 1), 12)
  expect(() => normalQuantile(0)).toThrow('p: expected a number in (0, 1), got 0')
})

describe('meanInterval', () => {
  test('is the mean plus or minus the t quantile times the standard error', () => {
    const interval = meanInterval([1, 2, 3, 4])
    expect(interval.mean).toBe(2.5)
    expect(interval.standardError).toBeCloseTo(Math.sqrt(5 / 3 / 4), 14)
    expect(interval.high - interval.mean).toBeCloseTo(
      jstat.studentt.inv(0.975, 3) * interval.standardError,
      8,
    )
    expect(interval.mean - interval.low).toBeCloseTo(interval.high - interval.mean, 12)
  })

  test('constant values have a point, one value or an infinite one is an error', () => {
    expect(meanInterval([2, 2, 2])).toEqual({ mean: 2, standardError: 0, low: 2, high: 2, n: 3 })
    expect(() => meanInterval([1])).toThrow('values: expected at least 2 values')
    expect(() => meanInterval([1, Number.POSITIVE_INFINITY])).toThrow('values[1]: expected a finite number')
  })
})
