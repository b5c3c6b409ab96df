import { expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { superUniform } from '../../src/core/stats/super-uniform.ts'
import { detWmk } from '../../src/theory/spmg.ts'
import { spmgTest, spmgVectorTest } from '../../src/theory/spmg-test.ts'

const random = seededRandom(7)
/** Coins, `width` for each generation; the first ones come up with `rate`. */
const coins = (prompts: number, count: number, width: number, rate: number) =>
  Array.from({ length: prompts }, () =>
    Array.from({ length: count }, () =>
      Array.from({ length: width }, (_, k) => (random.uniform() < (k === 0 ? rate : 0.5) ? 1 : 0)),
    ),
  )
const flat = (values: number[][][]): number[][] => values.map((generations) => generations.map(([x]) => x!))

test('one component: the statistic of the plain test, and a p-value that agrees with the exact one', () => {
  const [m, t, c] = [coins(2, 5, 1, 0.5), coins(2, 5, 1, 0.9), coins(2, 5, 1, 0.5)]
  const exact = spmgTest(flat(m), flat(t), flat(c))
  expect(exact.exhaustive).toBe(true)
  const sampled = spmgVectorTest(m, t, c, { runs: 20_000, seed: 1 })
  expect(sampled.statistic).toBeCloseTo(detWmk(flat(m), flat(t), flat(c)), 12)
  // six standard errors of 20,000 reassignments
  const error = Math.sqrt((exact.pValue * (1 - exact.pValue)) / 20_000)
  expect(Math.abs(sampled.pValue - exact.pValue)).toBeLessThan(6 * error + 1e-4)
})

test('several components: the average of their statistics', () => {
  const [m, t, c] = [coins(3, 4, 5, 0.5), coins(3, 4, 5, 0.8), coins(3, 4, 5, 0.5)]
  const of = (values: number[][][], k: number) => values.map((all) => all.map((one) => one[k]!))
  const mean = [0, 1, 2, 3, 4].reduce((sum, k) => sum + detWmk(of(m, k), of(t, k), of(c, k)) / 5, 0)
  expect(spmgVectorTest(m, t, c, { runs: 9 }).statistic).toBeCloseTo(mean, 12)
})

test.each(['generation', 'prompt'] as const)(
  'exchanging by %s: p-values are valid, and small under a drift',
  (exchange) => {
    const p = (rate: number, seed: number) => {
      const [m, t, c] = [coins(12, 3, 2, 0.2), coins(12, 3, 2, rate), coins(12, 3, 2, 0.2)]
      return spmgVectorTest(m, t, c, { runs: 99, seed, exchange }).pValue
    }
    const sample = (rate: number) => Array.from({ length: 300 }, (_, i) => p(rate, i))
    const check = { levels: [0.3, 0.1], falseAlarm: 1e-9, miss: 1e-3 }
    expect(superUniform(sample(0.2), check).holds).toBe(true)
    expect(superUniform(sample(0.9), check).holds).toBe(false)
  },
)

test('sizes that do not match are refused', () => {
  expect(() => spmgVectorTest(coins(1, 2, 1, 0.5), coins(1, 2, 1, 0.5), coins(1, 3, 1, 0.5))).toThrow(
    '2 generations',
  )
})
