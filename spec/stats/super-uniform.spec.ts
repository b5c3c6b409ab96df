import { describe, expect, test } from 'vitest'
import { logBinomialTail, superUniform } from '../../src/core/stats/entry.ts'

const n = 20_000
const grid = Array.from({ length: n }, (_, i) => (i + 0.5) / n)

describe('superUniform', () => {
  test('its false-alarm rate is the sum of exact binomial tails, and no smaller limit would do', () => {
    for (const size of [1000, n]) {
      const { levels, falseAlarm } = superUniform(grid.slice(0, size), { falseAlarm: 1e-9 })
      const alarm = levels.reduce(
        (sum, { level, limit }) => sum + Math.exp(logBinomialTail(limit, size, level)),
        0,
      )
      expect(alarm).toBeLessThanOrEqual(falseAlarm)
      for (const { level, limit } of levels)
        expect(Math.exp(logBinomialTail(limit - 1, size, level))).toBeGreaterThan(falseAlarm / 3)
    }
  })

  test('its power is as stated', () => {
    for (const { level, limit, smallestRate } of superUniform(grid, { miss: 1e-3 }).levels) {
      expect(smallestRate).toBeGreaterThan(level)
      expect(Math.exp(logBinomialTail(limit, n, smallestRate))).toBeCloseTo(0.999, 9)
    }
  })

  test('valid p-values hold: uniform, conservative, discrete, all ones', () => {
    expect(superUniform(grid).holds).toBe(true)
    expect(superUniform(grid.map(Math.sqrt)).holds).toBe(true)
    expect(superUniform(grid.map((u) => Math.ceil(u * 100) / 100)).holds).toBe(true)
    expect(superUniform(grid.map(() => 1)).holds).toBe(true)
  })

  test('mutants fail: a factor of two, k/runs with zeros, too many small values below one level only', () => {
    expect(superUniform(grid.map((u) => u / 2)).holds).toBe(false)
    expect(superUniform(grid.map((u) => Math.floor(u * 100) / 100)).holds).toBe(false)
    // atoms at the level itself count
    expect(superUniform(grid.map((u) => (u < 0.1 ? 0.05 : u))).holds).toBe(false)
    // 1% of the texts get p = 1e-6, the rest are valid
    const broken = superUniform(grid.map((u, i) => (i % 100 === 0 ? 1e-6 : u)))
    expect(broken.holds).toBe(false)
    expect(broken.levels.map((l) => l.holds)).toEqual([true, false, false])
  })

  test('a check that could not fail, or is not about p-values, is an error', () => {
    expect(() => superUniform([0.5, 0.5], { levels: [0.05] })).toThrow(
      'pValues: expected at least 7 values to test the level 0.05',
    )
    expect(() => superUniform([0.5, 1.5])).toThrow('pValues[1]: expected a number in [0, 1], got 1.5')
    expect(() => superUniform(grid, { levels: [] })).toThrow('levels: expected at least 1 value')
    expect(() => superUniform(grid, { falseAlarm: 0 })).toThrow('falseAlarm')
  })
})
