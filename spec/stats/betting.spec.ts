import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { bettingInterval } from '../../src/core/stats/betting-interval.ts'
import { logBetsP, logPairsP } from '../../src/core/stats/pair-bets.ts'

describe('an interval by betting', () => {
  /** Shares of 27 keys, with a rate of its own for every text. */
  function shares(n: number, rate: number, seed: string): number[] {
    const random = seededRandom(seed)
    return Array.from({ length: n }, () => {
      const own = rate * (random.uniform() < 0.5 ? 0.2 : 1.8)
      return (
        Array.from({ length: 27 }, () => (random.uniform() < own ? 1 : 0)).reduce<number>(
          (a, b) => a + b,
          0,
        ) / 27
      )
    })
  }

  test.each([0.001, 0.05, 0.35])('misses a mean of %d at most as often as it says', (rate) => {
    // a correct interval is outside in at most 5% of runs: more than 40 of 200 have a chance below 1e-12
    const missed = Array.from({ length: 200 }, (_, i) =>
      bettingInterval(shares(40, rate, `cover ${rate} ${i}`)),
    ).filter(({ low, high }) => rate < low || rate > high).length
    expect(missed).toBeLessThanOrEqual(40)
  })

  test('narrows with the number of texts, and sees what a nominal 5% is not', () => {
    const width = (n: number) => {
      const { low, high } = bettingInterval(shares(n, 0.18, 'width'))
      return high - low
    }
    expect(width(400)).toBeLessThan(width(50) / 2)
    expect(bettingInterval(shares(379, 0.18, 'unigram')).low).toBeGreaterThan(0.05)
    expect(bettingInterval(shares(379, 0.04, 'honest')).low).toBeLessThan(0.05)
  })

  test('constant numbers, one number and none', () => {
    const zeros = bettingInterval(Array(379).fill(0))
    expect(zeros.low).toBe(0)
    expect(zeros.high).toBeLessThan(0.02)
    expect(bettingInterval(Array(379).fill(1)).high).toBe(1)
    expect(bettingInterval([])).toEqual({ low: 0, high: 1 })
    expect(() => bettingInterval([0.5], 1)).toThrow(/confidence/)
  })
})

describe('bets on pairs', () => {
  const differences = (n: number, shift: number, seed: string): number[] => {
    const random = seededRandom(seed)
    // heavy tails: no variance
    return Array.from({ length: n }, () => shift + Math.tan(Math.PI * (random.uniform() - 0.5)))
  }

  test('pairs that are exchangeable reach 1/a at most as often as a, even without a variance', () => {
    const p = Array.from({ length: 2000 }, (_, i) => Math.exp(logPairsP(differences(60, 0, `fair ${i}`))))
    for (const level of [0.2, 0.05]) {
      const hits = p.filter((x) => x <= level).length
      // six standard deviations above: below 1e-8
      expect(hits).toBeLessThan(2000 * level + 6 * Math.sqrt(2000 * level))
    }
  })

  test('a shift is found at a family-wise rate of 1e-6; nothing is found in no difference', () => {
    expect(logPairsP(differences(240, 2, 'shifted'))).toBeLessThan(Math.log(1e-6 / 300))
    expect(logPairsP(differences(240, -2, 'shifted'))).toBeLessThan(Math.log(1e-6 / 300))
    expect(logPairsP(Array(100).fill(0))).toBeCloseTo(0)
    expect(logPairsP([])).toBeCloseTo(0)
  })

  test('e-values of texts multiply, strategy by strategy, and the best moment counts', () => {
    expect(
      logBetsP([
        [Math.log(4), 0],
        [Math.log(3), 0],
      ]),
    ).toBeCloseTo(-Math.log((12 + 1) / 2))
    expect(logBetsP([[Math.log(4)], [Math.log(1 / 8)]])).toBeCloseTo(-Math.log(4))
    expect(logBetsP([])).toBeCloseTo(0)
  })
})
