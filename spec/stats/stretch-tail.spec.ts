/** The law of the best stretch, against all sequences of coins and against runs, as fractions. */
import { describe, expect, test } from 'vitest'
import { logStretchTail } from '../../src/core/stats/entry.ts'
import { stretchTailIsExact } from '../../src/core/stats/log-stretch-tail.ts'
import { logRatio } from './exact.ts'

/** The largest sum of any stretch, by looking at all of them. */
function best(coins: number, n: number, up: number, down: number): number {
  let most = 0
  for (let from = 0; from < n; from++) {
    let sum = 0
    for (let t = from; t < n; t++) {
      sum += (coins >>> t) & 1 ? up : -down
      most = Math.max(most, sum)
    }
  }
  return most
}

const ones = (coins: number): number => {
  let count = 0
  for (let rest = coins; rest > 0; rest >>>= 1) count += rest & 1
  return count
}

/** How many sequences of n coins hold k heads in a row, by where the first such run ends. */
function withRun(n: number, k: number): bigint {
  const without = [1n]
  for (let m = 1; m <= n; m++)
    without[m] = m < k ? 2n * without[m - 1]! : 2n * without[m - 1]! - (m === k ? 1n : without[m - k - 1]!)
  return (1n << BigInt(n)) - without[n]!
}

describe('logStretchTail', () => {
  test.each([
    [1, 2, 1, 2],
    [2, 3, 1, 2],
    [3, 5, 1, 2],
    [1, 1, 1, 3],
    [5, 3, 1, 4],
    [13, 1, 1, 20],
  ])('is exact over all sequences: up %i, down %i, rate %i/%i', (up, down, num, den) => {
    for (const n of [1, 2, 5, 11]) {
      const weights = new Map<number, bigint>()
      for (let coins = 0; coins < 2 ** n; coins++) {
        const height = best(coins, n, up, down)
        const count = ones(coins)
        const weight = BigInt(num) ** BigInt(count) * BigInt(den - num) ** BigInt(n - count)
        weights.set(height, (weights.get(height) ?? 0n) + weight)
      }
      for (let height = 1; height <= n * up; height++) {
        let reached = 0n
        for (const [other, weight] of weights) if (other >= height) reached += weight
        const exact = logRatio(reached, BigInt(den) ** BigInt(n))
        expect(logStretchTail(height, up, down, num / den, n)).toBeCloseTo(exact, 11)
      }
      expect(logStretchTail(n * up + 1, up, down, num / den, n)).toBe(Number.NEGATIVE_INFINITY)
    }
  })

  test('is exact below 1e-300: the longest run of heads', () => {
    for (const k of [900, 1000, 1050, 1100]) {
      const exact = logRatio(withRun(1100, k), 1n << 1100n)
      // a tail takes everything
      expect(logStretchTail(k, 1, 1100, 1 / 2, 1100) / exact).toBeCloseTo(1, 12)
      if (k > 1000) expect(exact).toBeLessThan(Math.log(1e-300))
    }
  })

  test('is a bound where the chain would take too long', () => {
    const [few, many] = [2 ** 18, 2 ** 22]
    for (const height of [33, 60]) {
      expect([stretchTailIsExact(height, few), stretchTailIsExact(height, many)]).toEqual([true, false])
      const [exact, bound] = [few, many].map((n) => logStretchTail(height, 1, 2, 1 / 2, n))
      // sixteen texts one after the other hold a stretch at least as often as one of them
      expect(bound).toBeGreaterThan(Math.log(-Math.expm1(16 * Math.log1p(-Math.exp(exact!)))))
      // and the bound is not loose by more than a factor of 10
      expect(bound).toBeLessThan(exact! + Math.log(160))
    }
  })

  test('refuses a walk that does not fall', () => {
    expect(() => logStretchTail(3, 1, 1, 1 / 2, 5)).toThrow(/rate: expected below 0.5/)
    expect(logStretchTail(0, 1, 2, 1 / 2, 5)).toBe(0)
    expect(logStretchTail(1, 1, 2, 1 / 2, 0)).toBe(Number.NEGATIVE_INFINITY)
  })
})
