import { expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logDiscoveryLevel } from '../../src/core/stats/index.ts'

test('the level is the largest rank whose p-value is below its share', () => {
  // n = 4: shares are q k / (4 * 25/12)
  const share = (q: number, k: number) => (q * k) / (4 * (25 / 12))
  const level = (ps: number[], q: number) => Math.exp(logDiscoveryLevel(ps.map(Math.log), q))
  expect(level([0.9, 0.001, 0.02, 0.5], 0.1)).toBeCloseTo(share(0.1, 2), 12)
  expect(level([0.9, 0.001, 0.03, 0.5], 0.1)).toBeCloseTo(share(0.1, 1), 12)
  expect(level([0.9, 0.8], 0.1)).toBeLessThan(0.8)
  expect(level([0.04], 0.05)).toBeCloseTo(0.05, 12)
})

/** Half of 40 p-values are null, so that the rate is at most q / 2 (Benjamini and Yekutieli, theorem 1.3). */
test.each([
  ['independent', (u: () => number) => Array.from({ length: 20 }, u)],
  [
    'all equal',
    (u: () => number) =>
      Array.from(
        { length: 20 },
        (
          (x) => () =>
            x
        )(u()),
      ),
  ],
] as const)('the false discovery rate is at most q, null p-values %s', (_, nulls) => {
  const random = seededRandom(7, 'fdr')
  const uniform = () => (random.below(2 ** 30) + 0.5) / 2 ** 30
  const [families, q] = [4000, 0.2]
  let sum = 0
  for (let i = 0; i < families; i++) {
    const ps = [...nulls(uniform), ...Array.from({ length: 20 }, () => uniform() ** 6 / 100)]
    const level = logDiscoveryLevel(ps.map(Math.log), q)
    const found = ps.filter((p) => Math.log(p) <= level).length
    const wrong = ps.slice(0, 20).filter((p) => Math.log(p) <= level).length
    sum += wrong / Math.max(1, found)
  }
  // Hoeffding: the mean of 4,000 shares in [0, 1] exceeds its mean by 0.051 with probability below 1e-9
  expect(sum / families).toBeLessThanOrEqual(q / 2 + 0.051)
})
