import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logBinomialTail, logLatticeTail } from '../../../src/core/stats/entry.ts'
import { truncatedPower } from '../../../src/core/stats/sums/truncated-power.ts'
import { logRatio, packedPower, packedTail } from '../exact.ts'

const close = (got: number, exact: number) => {
  expect(Number.isNaN(got)).toBe(false)
  if (exact === Number.NEGATIVE_INFINITY) expect(got).toBe(exact)
  else expect(Math.abs(got - exact)).toBeLessThanOrEqual(Math.max(1e-10, 1e-13 * Math.abs(exact)))
}

const masses = (weights: readonly number[]) => {
  const total = weights.reduce((a, b) => a + b, 0)
  return Float64Array.from(weights, (w) => w / total)
}

/** The scores G-1-|a-b| of two uniform values in 0..G-1, times G^2. */
const closeness = (G: number) => Array.from({ length: G }, (_, x) => (x === G - 1 ? G : 2 * (x + 1)))

describe('logLatticeTail', () => {
  test('agrees with exact rational convolutions for any masses, gaps and lopsided ones included', () => {
    const weight = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 0, max: 1_000_000 }),
    )
    const weights = fc.array(weight, { minLength: 1, maxLength: 24 }).filter((w) => w.some((x) => x > 0))
    fc.assert(
      fc.property(
        weights,
        fc.integer({ min: 0, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (w, n, share) => {
          const packed = packedPower(w, n)
          const top = n * (w.length - 1)
          for (const s of new Set([0, 1, Math.round(share * top), top - 1, top, top + 1]))
            close(logLatticeTail(masses(w), s, n), packedTail(packed, s))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('agrees on the closeness score of 64 cells over 120 tokens, at the mean and in both tails', () => {
    const G = 64
    const packed = packedPower(closeness(G), 120)
    for (let s = 1200; s < 120 * (G - 1); s += 317)
      close(logLatticeTail(masses(closeness(G)), s, 120), packedTail(packed, s))
  })

  test('agrees at 1024 cells and 500 tokens: the last values against exact integers', () => {
    const G = 1024
    const n = 500
    const pmf = masses(closeness(G))
    // distance from the largest sum: the first coefficients of (G + 2(G-1)z + 2(G-2)z^2 + ...)^n, as exact integers
    const room = 120
    let power = [1n]
    const step = closeness(G).toReversed().slice(0, room).map(BigInt)
    const times = (a: bigint[], b: bigint[]) => {
      const out = Array.from({ length: Math.min(room, a.length + b.length - 1) }, () => 0n)
      for (let i = 0; i < a.length; i++)
        for (let j = 0; j < b.length && i + j < out.length; j++) out[i + j]! += a[i]! * b[j]!
      return out
    }
    let square = step
    for (let left = n; left > 0; left >>= 1) {
      if (left & 1) power = times(power, square)
      square = times(square, square)
    }
    let sum = 0n
    for (let missing = 0; missing < room; missing++) {
      sum += power[missing]!
      const got = logLatticeTail(pmf, n * (G - 1) - missing, n)
      expect(Math.abs(got / logRatio(sum, BigInt(G * G) ** BigInt(n)) - 1)).toBeLessThan(1e-12)
    }
  })

  test('a lattice of two values is the binomial law, also at 20,000 terms', () => {
    for (const rate of [0.5, 0.25, 1 / 100])
      for (const z of [-4, 0, 1, 6, 20, 35]) {
        const n = 20_000
        const k = Math.round(n * rate + z * Math.sqrt(n * rate * (1 - rate)))
        close(logLatticeTail([1 - rate, rate], k, n), logBinomialTail(k, n, rate))
        // the same law on {0, 7} and on {3, 4}
        close(logLatticeTail([1 - rate, 0, 0, 0, 0, 0, 0, rate], 7 * k - 6, n), logBinomialTail(k, n, rate))
        close(logLatticeTail([0, 0, 0, 1 - rate, rate], 3 * n + k, n), logBinomialTail(k, n, rate))
      }
  })

  test('a sum between the values it can take is resolved however rare the next one is', () => {
    // values 0, 1 and 200, the last two rare: 500 copies reaching 7 means seven 1s or one 200
    const weights = Array.from({ length: 201 }, (_, x) =>
      x === 0 ? 1_000_000_000 : x === 1 || x === 200 ? 1 : 0,
    )
    const pmf = masses(weights)
    const p0 = BigInt(weights[0]!)
    // no 200, and fewer than `limit` 1s
    const fewOnes = (limit: bigint) => {
      let sum = 0n
      let ways = 1n
      for (let ones = 0n; ones < limit; ones++) {
        sum += ways * p0 ** (500n - ones)
        ways = (ways * (500n - ones)) / (ones + 1n)
      }
      return sum
    }
    const all = (p0 + 2n) ** 500n
    close(logLatticeTail(pmf, 7, 500), logRatio(all - fewOnes(7n), all))
    close(logLatticeTail(pmf, 150, 500), logRatio(all - fewOnes(150n), all))
  })

  test('bad arguments are named', () => {
    expect(() => logLatticeTail([0.5, 0.4], 1, 1)).toThrow('pmf: expected masses that sum to 1, got 0.9')
    expect(() => logLatticeTail([1.5, -0.5], 1, 1)).toThrow('pmf[0]: expected a number in [0, 1], got 1.5')
    expect(() => logLatticeTail([0.5, 0.5], 0.5, 1)).toThrow('sum: expected an integer')
    expect(() => logLatticeTail([0.5, 0.5], 1, -1)).toThrow('n: expected an integer')
    expect(() => logLatticeTail([], 1, 1)).toThrow('pmf: expected at least 1 value, got [] (length 0)')
  })
})

test('truncatedPower gives the first coefficients of the full power', () => {
  const full = truncatedPower(new Float64Array([0.25, 0.5, 0.25]), 5, 11)
  expect(Array.from(full)).toEqual(Array.from(truncatedPower(new Float64Array([0.5, 0.5]), 10, 11)))
  expect(Array.from(truncatedPower(new Float64Array([0.25, 0.5, 0.25]), 5, 4))).toEqual(
    Array.from(full.slice(0, 4)),
  )
  expect(Array.from(truncatedPower(new Float64Array([0.25, 0.75]), 0, 3))).toEqual([1, 0, 0])
})
