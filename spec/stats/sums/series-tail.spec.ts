import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LatticeSeries } from '../../../src/core/stats/sums/lattice-series.ts'
import { logLatticeTail } from '../../../src/core/stats/sums/log-lattice-tail.ts'
import { logWeightedBernoulliTail } from '../../../src/core/stats/sums/log-weighted-bernoulli-tail.ts'
import { logSeriesTail } from '../../../src/core/stats/sums/series-tail.ts'
import { weightedTails } from '../../../src/core/stats/sums/weighted-tails.ts'

const moments = (pmf: Float64Array) => {
  const mean = pmf.reduce((sum, mass, x) => sum + mass * x, 0)
  return { mean, sd: Math.sqrt(pmf.reduce((sum, mass, x) => sum + mass * (x - mean) ** 2, 0)) }
}

/** The sum of n scores that lies z standard deviations above the mean. */
const sumAt = (pmf: Float64Array, n: number, z: number): number => {
  const { mean, sd } = moments(pmf)
  return Math.round(n * mean + z * sd * Math.sqrt(n))
}

const G = 1024
const closeness = Float64Array.from({ length: G }, (_, s) => (s === G - 1 ? 1 / G : (2 * (s + 1)) / G ** 2))

describe('tails of many copies from the moments of one', () => {
  test('of closeness scores: those of the inversion, and there wherever texts of 200 tokens and more lie', () => {
    const series = new LatticeSeries(closeness)
    for (const n of [200, 480, 2000])
      for (const z of [-6, -2, -0.5, 0, 0.5, 1, 2, 3]) {
        const sum = sumAt(closeness, n, z)
        expect(Math.abs(logSeriesTail(series, sum, n)! - logLatticeTail(closeness, sum, n))).toBeLessThan(
          1e-11,
        )
      }
  })

  test('of any law: undefined, or the tail', () => {
    const weight = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 1000 }))
    let reached = 0
    fc.assert(
      fc.property(
        fc.array(weight, { minLength: 2, maxLength: 30 }).filter((w) => w.filter((x) => x > 0).length > 1),
        fc.integer({ min: 20, max: 3000 }),
        fc.double({ min: -5, max: 12, noNaN: true }),
        (weights, n, z) => {
          const total = weights.reduce((sum, w) => sum + w, 0)
          const pmf = Float64Array.from(weights, (w) => w / total)
          const sum = sumAt(pmf, n, z)
          const quick = logSeriesTail(new LatticeSeries(pmf), sum, n)
          if (quick === undefined) return
          reached++
          const exact = logLatticeTail(pmf, sum, n)
          expect(Math.abs(quick - exact)).toBeLessThan(1e-10 + 1e-13 * Math.abs(exact))
        },
      ),
      { numRuns: 300 },
    )
    expect(reached).toBeGreaterThan(30)
  })

  test("of weighted bits: SynthID's weights and others", () => {
    const published = Array.from({ length: 20 }, (_, layer) => 190 - 9 * layer)
    for (const [weights, rate] of [
      [published, 1 / 2],
      [published, 0.3],
      [[3, 2, 1], 1 / 2],
      [[6, 4, 2], 1 / 2],
      [[50, 1], 0.9],
    ] as const) {
      const tail = weightedTails(weights, rate)
      const total = weights.reduce((sum, w) => sum + w, 0)
      const spread = Math.sqrt(weights.reduce((sum, w) => sum + w * w * rate * (1 - rate), 0))
      for (const n of [10, 17, 100, 480, 2000])
        for (const z of [-6, -1, 0, 1, 4, 9]) {
          const sum = Math.round(n * total * rate + z * spread * Math.sqrt(n))
          const exact = logWeightedBernoulliTail(
            sum,
            weights,
            rate,
            new Array<number>(weights.length).fill(n),
          )
          if (exact === Number.NEGATIVE_INFINITY) expect(tail(sum, n)).toBe(exact)
          else expect(Math.abs(tail(sum, n) - exact)).toBeLessThan(1e-11 + 1e-13 * Math.abs(exact))
        }
    }
  })

  test('a law that nearly lives on the even numbers is left alone; trusted blindly it would be wrong', () => {
    const pmf = Float64Array.from({ length: 21 }, (_, x) => (x % 2 === 0 ? 1 / 11 - 1e-6 : 11e-7))
    const sum = sumAt(pmf, 400, 1) | 1
    expect(logSeriesTail(new LatticeSeries(pmf), sum, 400)).toBeUndefined()
    const blind = new LatticeSeries(pmf, () => () => Number.NEGATIVE_INFINITY)
    expect(Math.abs(logSeriesTail(blind, sum, 400)! - logLatticeTail(pmf, sum, 400))).toBeGreaterThan(1e-3)
  })
})
