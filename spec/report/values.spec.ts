import { describe, expect, test } from 'vitest'
import { mean, meanShare } from '../../src/bench/report/values.ts'

const interval = (value: object) => value as { low: number; high: number }

describe('a mean of shares', () => {
  test("has Student's interval where that lies inside [0, 1]", () => {
    const shares = [0.4, 0.5, 0.6, 0.5]
    expect(meanShare(shares, { note: 'n' })).toEqual(mean(shares, { note: 'n' }))
  })

  test('never leaves [0, 1]', () => {
    const shares = [0, 0, 0, 0.1]
    expect(interval(mean(shares)).low).toBeLessThan(0)
    expect(interval(meanShare(shares))).toMatchObject({ low: 0, high: interval(mean(shares)).high })
    expect(interval(meanShare(shares.map((x) => 1 - x))).high).toBe(1)
  })

  test('has an interval with a width where all shares are 0 or all are 1', () => {
    // P(no share above 0) = (1 - x)^n is 0.025 at the upper end
    const { low, high } = interval(meanShare([0, 0, 0, 0]))
    expect(low).toBe(0)
    expect((1 - high) ** 4).toBeCloseTo(0.025, 12)
    expect(interval(meanShare([1, 1, 1, 1])).low).toBeCloseTo(1 - high, 12)
  })
})
