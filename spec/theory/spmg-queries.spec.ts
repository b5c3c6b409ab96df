import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { detWmk, spmgThreshold } from '../../src/theory/spmg.ts'
import { expectedSpmgQueries, spmgQueries } from '../../src/theory/spmg-queries.ts'

describe('the guaranteed number of generations', () => {
  test('is the smallest that satisfies the inequality', () => {
    for (const [prompts, drift] of [
      [1, 0.3],
      [10, 0.1],
      [100, 0.02],
    ] as const) {
      const bound = 0.5
      const holds = (m: number) =>
        drift - bound * Math.sqrt(2 / m) >=
        spmgThreshold({ generations: m, prompts, bound, alpha: 0.05 }) +
          bound * Math.sqrt((12 * Math.log(1 / 0.2)) / (m * prompts))
      const m = spmgQueries({ prompts, bound, drift })
      expect(holds(m)).toBe(true)
      expect(holds(m - 1)).toBe(false)
    }
  })

  test('keeps its promise: coins with a drift pass the threshold in at least 80% of trials', () => {
    const [prompts, bound, drift] = [4, 0.5, 0.3]
    const generations = spmgQueries({ prompts, bound, drift })
    const threshold = spmgThreshold({ generations, prompts, bound, alpha: 0.05 })
    const random = seededRandom(1)
    const coins = (rate: number) =>
      Array.from({ length: prompts }, () =>
        Array.from({ length: generations }, () => (random.uniform() < rate ? 1 : 0)),
      )
    const trials = 200
    let found = 0
    for (let i = 0; i < trials; i++)
      if (detWmk(coins(0.35), coins(0.35 + drift), coins(0.35)) >= threshold) found++
    // false alarm 1e-9: the chance of so few if the power were 80%
    expect(logBinomialTail(trials - found, trials, 0.2)).toBeGreaterThan(Math.log(1e-9))
    // and the promise is about this drift: a tenth of it is not found
    expect(detWmk(coins(0.35), coins(0.35 + drift / 10), coins(0.35))).toBeLessThan(threshold)
  })

  test('grows with power and confidence, falls with prompts, and is the inverse square of the drift', () => {
    const at = (more: object) => spmgQueries({ prompts: 10, bound: 0.5, drift: 0.1, ...more })
    expect(at({ power: 0.95 })).toBeGreaterThan(at({}))
    expect(at({ alpha: 1e-6 })).toBeGreaterThan(at({}))
    expect(at({ prompts: 100 })).toBeLessThan(at({}))
    expect(at({ deviation: 0.1 })).toBeLessThan(at({}))
    expect(at({ drift: 0.01 }) / at({})).toBeCloseTo(100, -1)
  })
})

test('the expected number: power close to 80% in the normal model, and far below the guarantee', () => {
  const [prompts, deviation, drift] = [6, 0.2, 0.1]
  const m = expectedSpmgQueries({ prompts, bound: 0.5, drift, deviation })
  expect(m).toBeLessThan(spmgQueries({ prompts, bound: 0.5, drift, deviation }) / 2)
  const random = seededRandom(2)
  const normal = () => Math.sqrt(-2 * Math.log(random.uniform())) * Math.cos(2 * Math.PI * random.uniform())
  const sample = (shift: number) => {
    const scale = deviation / Math.sqrt(m)
    const means = (mean: number) => Array.from({ length: prompts }, () => [mean + scale * normal()])
    return detWmk(means(0), means(shift), means(0))
  }
  const trials = 4000
  const threshold = Array.from({ length: trials }, () => sample(0)).sort((a, b) => a - b)[0.95 * trials]!
  const power =
    Array.from({ length: trials }, () => sample(drift)).filter((d) => d > threshold).length / trials
  // six standard errors of both simulations, and the rounding of m
  expect(Math.abs(power - 0.8)).toBeLessThan(0.07)
})
