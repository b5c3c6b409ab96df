import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logBinomialTail, logChernoffTail, logWeightedBernoulliTail } from '../../../src/core/stats/entry.ts'
import { truncatedPower } from '../../../src/core/stats/sums/truncated-power.ts'
import { packedBits, packedTail } from '../exact.ts'

const close = (got: number, exact: number) => {
  expect(Number.isNaN(got)).toBe(false)
  if (exact === Number.NEGATIVE_INFINITY) expect(got).toBe(exact)
  else expect(Math.abs(got - exact)).toBeLessThanOrEqual(Math.max(1e-10, 1e-13 * Math.abs(exact)))
}

const rates: [bigint, bigint][] = [[1n, 2n], [1n, 4n], [1n, 100n], [99n, 100n], [1n, 10n ** 9n]] // biome-ignore format: one line
const all = (copies: number) => Array.from({ length: 20 }, () => copies)
const synthid = Array.from({ length: 20 }, (_, l) => 190 - 9 * (l + 1))

describe('logWeightedBernoulliTail', () => {
  test('agrees with exact rational convolutions for any weights, counts and rates', () => {
    const bits = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 12 })), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(
        bits,
        fc.constantFrom(...rates),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bits, rate, share) => {
          const weights = bits.map(([w]) => w)
          const counts = bits.map(([, c]) => c)
          const total = bits.reduce((sum, [w, c]) => sum + w * c, 0)
          const packed = packedBits(weights, counts, ...rate)
          for (const s of new Set([0, 1, Math.round(share * total), total - 1, total, total + 1]))
            close(
              logWeightedBernoulliTail(s, weights, Number(rate[0]) / Number(rate[1]), counts),
              packedTail(packed, s),
            )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('agrees on the counts of token types in a text of 500, and does not care how they are gathered', () => {
    const counts = Array.from({ length: 120 }, (_, r) => Math.max(1, Math.round(60 / (r + 1))))
    const total = counts.reduce((a, b) => a + b, 0)
    for (const rate of rates) {
      const packed = packedBits(
        counts,
        counts.map(() => 1),
        ...rate,
      )
      const float = Number(rate[0]) / Number(rate[1])
      for (let s = 1; s <= total; s += 23)
        close(logWeightedBernoulliTail(s, counts, float), packedTail(packed, s))
    }
    const repeated = logWeightedBernoulliTail(300, [...counts, 0, 0], 0.5)
    expect(logWeightedBernoulliTail(300, counts.toReversed(), 0.5)).toBe(repeated)
  })

  test('agrees on the SynthID weights at 12 tokens, between the ends of the support', () => {
    const packed = packedBits(synthid, all(12), 1n, 2n)
    for (let s = 3_000; s < 12 * 1910; s += 997)
      close(logWeightedBernoulliTail(s, synthid, 0.5, all(12)), packedTail(packed, s))
  })

  test('at 500 tokens it agrees with a plain convolution of the layers, positive terms only', () => {
    const [sum, theta] = [640_490, 0.0058]
    let masses = new Float64Array([1])
    let log = -theta * sum
    for (const w of synthid) {
      const on = 1 / (1 + Math.exp(-theta * w))
      const ones = truncatedPower(new Float64Array([1 - on, on]), 500, 501)
      const next = new Float64Array(masses.length + 500 * w)
      const matters = (mass: number) => mass > 1e-25
      const [from, to] = [masses.findIndex(matters), masses.findLastIndex(matters)]
      ones.forEach((mass, j) => {
        if (matters(mass)) for (let s = from; s <= to; s++) next[s + j * w]! += masses[s]! * mass
      })
      masses = next
      log += 500 * (Math.log(0.5) + Math.log1p(Math.exp(theta * w)))
    }
    let tail = 0
    for (let s = sum; s < masses.length; s++) tail += masses[s]! * Math.exp(-theta * (s - sum))
    close(logWeightedBernoulliTail(sum, synthid, 0.5, all(500)), log + Math.log(tail))
  })

  test('equal weights are the binomial law; two interleaved ones still are', () => {
    close(logWeightedBernoulliTail(3 * 300 - 2, [3], 0.5, [500]), logBinomialTail(300, 500, 0.5))
    for (const k of [5_000, 5_300, 7_000])
      close(logWeightedBernoulliTail(2 * k, [2, 1], 0.5, [10_000, 1]), logBinomialTail(k, 10_000, 0.5))
  })

  test('bad arguments are named', () => {
    expect(() => logWeightedBernoulliTail(1, [1.5], 0.5)).toThrow(
      'weights[0]: expected an integer of at least 0, got 1.5',
    )
    expect(() => logWeightedBernoulliTail(1, [1, -1], 0.5)).toThrow('weights[1]')
    expect(() => logWeightedBernoulliTail(1, [1], 0.5, [1, 2])).toThrow('counts: expected one per weight')
    expect(() => logWeightedBernoulliTail(1, [1], 0.5, [0.5])).toThrow('counts[0]')
    expect(() => logWeightedBernoulliTail(1, [1], 2)).toThrow('rate')
    expect(() => logWeightedBernoulliTail(Number.NaN, [1], 0.5)).toThrow('sum')
  })
})

describe('logChernoffTail', () => {
  const bits = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 30 })

  test('is never below the exact tail, and within the factor that Chernoff loses', () => {
    fc.assert(
      fc.property(
        bits,
        fc.constantFrom(...rates),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (weights, rate, share) => {
          const float = Number(rate[0]) / Number(rate[1])
          const total = weights.reduce((a, b) => a + b, 0)
          const s = Math.round(share * total)
          const exact = logWeightedBernoulliTail(s, weights, float)
          expect(logChernoffTail(s, weights, float)).toBeGreaterThanOrEqual(exact - 1e-10)
          // the same with weights off the lattice
          const scaled = weights.map((w) => w * Math.SQRT1_2)
          expect(logChernoffTail(s * Math.SQRT1_2, scaled, float)).toBeGreaterThanOrEqual(exact - 1e-10)
        },
      ),
    )
    // 500 fair bits: the bound loses about sqrt(2π) z, a few nats at z = 4.5
    const loss = logChernoffTail(300, [1], 0.5, [500]) - logBinomialTail(300, 500, 0.5)
    expect(loss).toBeGreaterThan(1)
    expect(loss).toBeLessThan(4)
  })

  test('stays a bound when the sum was rounded up past the largest value', () => {
    const weights = Array.from({ length: 10 }, () => 0.1)
    expect(logChernoffTail(1 + 1e-15, weights, 0.5)).toBeCloseTo(10 * Math.log(0.5), 10)
    expect(logChernoffTail(1.001, weights, 0.5)).toBe(Number.NEGATIVE_INFINITY)
    expect(logChernoffTail(0, weights, 0.5)).toBe(0)
    expect(logChernoffTail(0.3, weights, 0.5)).toBe(0)
    expect(logChernoffTail(0.5, weights, 0)).toBe(Number.NEGATIVE_INFINITY)
    expect(logChernoffTail(0.5, weights, 1)).toBe(0)
    expect(() => logChernoffTail(1, [Number.NaN], 0.5)).toThrow('weights[0]: expected a finite number')
  })
})
