import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { kolmogorovTest, logChiSquareTail, multinomialTest } from '../../src/core/stats/entry.ts'

/** All ways to put n things into k cells, with their multinomial probability. */
function* outcomes(n: number, p: readonly number[]): Generator<[counts: number[], probability: number]> {
  if (p.length === 1) {
    yield [[n], p[0]! ** n]
    return
  }
  let ways = 1
  for (let c = 0; c <= n; c++) {
    for (const [rest, probability] of outcomes(n - c, p.slice(1)))
      yield [[c, ...rest], ways * p[0]! ** c * probability]
    ways = (ways * (n - c)) / (c + 1)
  }
}

describe('multinomialTest', () => {
  test('its p-value is valid at every level, over all outcomes of small tables', () => {
    for (const [n, p] of [
      [12, [0.5, 0.5]],
      [15, [0.9, 0.1]],
      [40, [0.99, 0.01]],
      [10, [0.2, 0.3, 0.5]],
      [9, [0.25, 0.25, 0.25, 0.25]],
      [8, [0.01, 0.09, 0.3, 0.3, 0.3]],
    ] as const) {
      const all = [...outcomes(n, p)].map(
        ([counts, probability]) => [multinomialTest(counts, p).pValue, probability] as const,
      )
      expect(all.reduce((sum, [, probability]) => sum + probability, 0)).toBeCloseTo(1, 12)
      for (const [level] of all) {
        const reached = all.reduce(
          (sum, [pValue, probability]) => sum + (pValue <= level ? probability : 0),
          0,
        )
        expect(reached).toBeLessThanOrEqual(level + 1e-12)
      }
    }
  })

  test('passes fair throws into as many cells as throws, which the chi-square approximation rejects', () => {
    // a cell's share of G is c ln c of a nearly Poisson(1) count c: mean 0.573, and sd 0.58 given the total, where
    // chi-square expects 1/2. So G is 11,460 ± 82; ln p < -20 needs 10,640 (ten sd below), the guaranteed bound
    // would only object beyond 19,999
    const cells = 20_000
    const random = seededRandom(1, 'throws')
    const counts = new Uint32Array(cells)
    for (let i = 0; i < cells; i++) counts[random.below(cells)]!++
    const { statistic, pValue } = multinomialTest(counts, new Float64Array(cells).fill(1 / cells))
    expect(pValue).toBe(1)
    expect(logChiSquareTail(2 * statistic, cells - 1)).toBeLessThan(-20)
  })

  test('rejects a biased die and the impossible, passes the expected counts', () => {
    const fair = Array.from({ length: 6 }, () => 1 / 6)
    expect(multinomialTest([100, 100, 100, 100, 100, 100], fair).pValue).toBe(1)
    expect(multinomialTest([160, 90, 85, 95, 80, 90], fair).pValue).toBeLessThan(0.01)
    expect(multinomialTest([1, 5], [0, 1]).logPValue).toBe(Number.NEGATIVE_INFINITY)
    expect(multinomialTest([0, 5], [0, 1]).pValue).toBe(1)
    expect(multinomialTest([0, 0], [0.5, 0.5]).pValue).toBe(1)
    expect(() => multinomialTest([1], [0.5, 0.5])).toThrow('counts: expected one count for each of 2')
    expect(() => multinomialTest([1, 1], [0.5, 0.4])).toThrow('probabilities: expected masses that sum to 1')
    expect(() => multinomialTest([1, 0.5], [0.5, 0.5])).toThrow('counts[1]')
  })
})

describe('kolmogorovTest', () => {
  test('the statistic is the largest distance at the steps', () => {
    expect(kolmogorovTest([0.1, 0.2, 0.3, 0.4], 'greater').statistic).toBeCloseTo(0.6, 14)
    expect(kolmogorovTest([0.1, 0.2, 0.3, 0.4], 'less').statistic).toBeCloseTo(0.1, 14)
    expect(kolmogorovTest([0.7, 0.8]).statistic).toBeCloseTo(0.7, 14)
  })

  test('its p-value is valid: one and two uniform values, by the exact law', () => {
    // n = 1: sup(F - x) = 1 - u, P(>= d) = 1 - d; the bound must not be below it
    for (let d = 0.005; d < 1; d += 0.01)
      expect(kolmogorovTest([1 - d], 'greater').pValue).toBeGreaterThanOrEqual(1 - d - 1e-12)
    // n = 1, two-sided: max(u, 1-u) >= d has probability 2(1-d) for d >= 1/2
    for (let d = 0.505; d < 1; d += 0.01)
      expect(kolmogorovTest([d]).pValue).toBeGreaterThanOrEqual(2 * (1 - d) - 1e-12)
    // n = 2, one-sided: the chance that neither the smaller is <= 1/2 - d nor the larger <= 1 - d
    for (let d = 0.505; d < 1; d += 0.01) {
      const exact = (1 - d) ** 2 // d > 1/2: only both at most 1 - d
      expect(kolmogorovTest([1 - d, 1 - d], 'greater').pValue).toBeGreaterThanOrEqual(exact - 1e-12)
    }
  })

  test('uniform and super-uniform grids pass, a mutant does not', () => {
    const grid = Array.from({ length: 2000 }, (_, i) => (i + 0.5) / 2000)
    expect(kolmogorovTest(grid).pValue).toBe(1)
    expect(kolmogorovTest(grid.map(Math.sqrt), 'greater').pValue).toBe(1)
    expect(
      kolmogorovTest(
        grid.map((u) => u * u),
        'greater',
      ).pValue,
    ).toBeLessThan(1e-9)
    expect(
      kolmogorovTest(
        grid.map((u) => u * u),
        'less',
      ).pValue,
    ).toBe(1)
    expect(() => kolmogorovTest([1.2])).toThrow('values: expected a number in [0, 1], got 1.2')
  })
})
