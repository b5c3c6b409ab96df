/** The law of the statistic of Berk and Jones, against rationals and enumeration that share no formula with it. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { berkJones, berkJonesBounds, logBerkJonesTail, logCrossing } from '../../src/core/stats/berk-jones.ts'
import { exactBinomialTail, fraction, logRatio } from './exact.ts'

const choose = (n: number, k: number): bigint => {
  let value = 1n
  for (let i = 1; i <= k; i++) value = (value * BigInt(n - i + 1)) / BigInt(i)
  return value
}

/**
 * ln P(U_(k) <= c_k / M for some k) in rationals (Noe): f[i] M^-n is the chance that i of n uniforms lie up to the bound so far and none of the bounds was crossed; what is crossed is
 * counted where it happens first.
 */
function exactCrossing(c: readonly bigint[], M: bigint, n: number): number {
  let f = [1n, ...new Array<bigint>(n).fill(0n)]
  let [at, crossed] = [0n, 0n]
  for (const [k, bound] of c.entries()) {
    const width = bound - at
    const next = new Array<bigint>(n + 1).fill(0n)
    for (let i = 0; i <= n; i++)
      for (let j = i; j <= n; j++) next[j]! += f[i]! * choose(n - i, j - i) * width ** BigInt(j - i)
    // those that lie beyond the bound may be anywhere above it
    for (let j = k + 1; j <= n; j++) {
      crossed += next[j]! * (M - bound) ** BigInt(n - j)
      next[j] = 0n
    }
    f = next
    at = bound
  }
  return logRatio(crossed, M ** BigInt(n))
}

/** The same in float64 for many values: chances of i values up to the bound, none crossed so far. */
function noe(bounds: Float64Array, n: number): number {
  let f = new Float64Array(n + 1)
  f[0] = 1
  let [at, crossed] = [0, 0]
  for (const [k, y] of bounds.entries()) {
    const share = (Math.exp(y) - at) / (1 - at)
    const next = new Float64Array(n + 1)
    for (let i = 0; i <= k; i++) {
      // Binomial(n - i, share), term by term
      let mass = f[i]! * Math.exp((n - i) * Math.log1p(-share))
      for (let j = i; j <= n && mass > 0; j++) {
        next[j]! += mass
        mass *= (((n - j) / (j - i + 1)) * share) / (1 - share)
      }
    }
    for (let j = k + 1; j <= n; j++) crossed += next[j]!
    next.fill(0, k + 1)
    f = next
    at = Math.exp(y)
  }
  return Math.log(crossed)
}

const logs = (c: readonly (number | bigint)[], M: number | bigint): Float64Array =>
  Float64Array.from(c, (bound) => logRatio(BigInt(bound), BigInt(M)))

describe('the chance that an order statistic crosses its bound', () => {
  test('equals an enumeration of all places of the values', () => {
    const M = 6
    for (const c of [[1, 2, 3, 4, 5], [1, 1, 1, 4, 5], [2, 3, 3, 5, 5], [1, 3], [1]]) {
      let count = 0
      for (let code = 0; code < M ** 5; code++) {
        const cells = Array.from({ length: 5 }, (_, i) => Math.floor(code / M ** i) % M).sort((a, b) => a - b)
        if (c.some((bound, k) => cells[k]! < bound)) count++
      }
      expect(Math.exp(logCrossing(logs(c, M), 5))).toBeCloseTo(count / M ** 5, 13)
    }
  })

  test('equals rationals for random bounds, down to 1e-300', () => {
    const random = seededRandom(5)
    for (let round = 0; round < 60; round++) {
      const n = 1 + random.below(14)
      const M = 1n << BigInt([30, 80, 400, 1000][round % 4]!)
      const c = Array.from({ length: n }, (_, k) => {
        // near 0 for the first, near 1 for the last, of any depth
        const shift = BigInt(Math.floor(Number(M.toString(2).length - 20) * (1 - k / n) * random.uniform()))
        return (M >> shift) - (M >> (shift + 1n + BigInt(random.below(4)))) - 1n
      }).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      const exact = exactCrossing(c, M, n)
      expect(Math.abs(Math.expm1(logCrossing(logs(c, M), n) - exact))).toBeLessThan(
        1e-11 * Math.max(1, -exact),
      )
    }
    const far = Array.from({ length: 8 }, (_, k) => 1n << BigInt(10 * k))
    const exact = exactCrossing(far, 1n << 1100n, 8)
    expect(exact).toBeLessThan(Math.log(1e-300))
    expect(Math.abs(logCrossing(logs(far, 1n << 1100n), 8) - exact)).toBeLessThan(1e-9)
  })

  test('stays accurate for many values: 24 in rationals, 300 by a recursion of positive terms', () => {
    for (const statistic of [0.3, 2, 8, 100, 690]) {
      const bounds = berkJonesBounds(statistic, 24)
      const M = 1n << 1200n
      const c = Array.from(bounds, (y) => {
        const [num, den] = fraction(Math.exp(y))
        return (num * M) / den
      })
      expect(Math.abs(Math.expm1(logBerkJonesTail(statistic, 24) - exactCrossing(c, M, 24)))).toBeLessThan(
        1e-10,
      )
    }
    for (const statistic of [0.5, 4, 12]) {
      const bounds = berkJonesBounds(statistic, 300)
      // all places, and the first 100 of them
      for (const some of [bounds, bounds.subarray(0, 100)])
        expect(Math.abs(Math.expm1(logCrossing(some, 300) - noe(some, 300)))).toBeLessThan(1e-9)
    }
  })
})

describe('the statistic of Berk and Jones', () => {
  test('each bound is where the p-value of its place is e^-statistic, in rationals', () => {
    for (const [statistic, n] of [
      [0.2, 7],
      [4, 30],
      [300, 30],
      [690, 5],
    ] as const)
      for (const [i, y] of berkJonesBounds(statistic, n).entries()) {
        const [num, den] = fraction(Math.exp(y))
        expect(Math.abs(exactBinomialTail(i + 1, n, num, den) + statistic)).toBeLessThan(
          1e-12 * (n + statistic),
        )
      }
  })

  test('one value is its own p-value; the law lies between that of one place and of all', () => {
    expect(logBerkJonesTail(3, 1)).toBeCloseTo(-3, 14)
    expect(berkJones(Float64Array.of(-5000))).toBe(5000)
    for (const n of [2, 50, 700])
      for (const statistic of [1, 10, 600, 5000]) {
        const tail = logBerkJonesTail(statistic, n)
        expect(tail).toBeGreaterThan(-statistic)
        expect(tail).toBeLessThanOrEqual(Math.min(0, Math.log(Math.min(n, 4096)) - statistic) + 1e-9)
      }
  })

  test('nothing is no evidence, and wrong arguments are refused', () => {
    expect(berkJones(new Float64Array(0))).toBe(0)
    expect(logBerkJonesTail(0, 10)).toBe(0)
    expect(() => logBerkJonesTail(-1, 10)).toThrow(/statistic: expected/)
    expect(() => logBerkJonesTail(1, 1.5)).toThrow(/n: expected/)
  })
})
