import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import {
  bootstrapInterval,
  logNormalTail,
  meanInterval,
  median,
  normalQuantile,
  quantile,
} from '../../src/core/stats/entry.ts'

/** A sample without chance: the quantiles of a law at (i + 1/2)/n. */
const quantiles = (n: number, inverse: (u: number) => number) =>
  Array.from({ length: n }, (_, i) => inverse((i + 0.5) / n))

describe('bootstrapInterval', () => {
  test('agrees with the t interval for a symmetric sample', () => {
    const values = quantiles(200, (u) => Math.log(u / (1 - u)))
    const boot = bootstrapInterval(values, { random: seededRandom(1, 'bootstrap'), resamples: 4000 })
    const student = meanInterval(values)
    const width = student.high - student.low
    // an end's Monte Carlo error is about 0.02 widths at 4,000 resamples; 0.15 is beyond 7 of them (1e-11)
    expect(Math.abs(boot.low - student.low)).toBeLessThan(0.15 * width)
    expect(Math.abs(boot.high - student.high)).toBeLessThan(0.15 * width)
    expect(boot.estimate).toBeCloseTo(student.mean, 12)
  })

  test('leans to the long side of a skewed sample, as the symmetric interval cannot', () => {
    const values = quantiles(60, (u) => (-Math.log(1 - u)) ** 3)
    const { estimate, low, high } = bootstrapInterval(values, { random: seededRandom(2, 'bootstrap') })
    expect(high - estimate).toBeGreaterThan(1.4 * (estimate - low))
  })

  test('ends where Efron says: the replicates at Φ(z0 + (z0 + z) / (1 - a (z0 + z)))', () => {
    const values = quantiles(60, (u) => (-Math.log(1 - u)) ** 3)
    const n = values.length
    const seen: number[] = []
    const statistic = (sample: Float64Array) => {
      const mean = sample.reduce((a, b) => a + b, 0) / sample.length
      seen.push(mean)
      return mean
    }
    const { estimate, low, high } = bootstrapInterval(values, { random: seededRandom(6), statistic })
    const replicates = seen.slice(1, 2001)
    const z0 = normalQuantile((replicates.filter((mean) => mean < estimate).length + 0.5) / 2001)
    // for a mean the jackknife's acceleration is the sample's skewness over 6 sqrt(n)
    const moment = (power: number) => values.reduce((sum, v) => sum + (v - estimate) ** power, 0) / n
    const a = moment(3) / moment(2) ** 1.5 / (6 * Math.sqrt(n))
    expect(a).toBeGreaterThan(0.05)
    const end = (z: number) => {
      const shifted = z0 + (z0 + z) / (1 - a * (z0 + z))
      return quantile(replicates, Math.exp(logNormalTail(-shifted)))
    }
    expect(low).toBeCloseTo(end(normalQuantile(0.025)), 9)
    expect(high).toBeCloseTo(end(normalQuantile(0.975)), 9)
  })

  test('takes any statistic, is reproducible, and says what is wrong', () => {
    const values = quantiles(101, (u) => u)
    const run = () => bootstrapInterval(values, { random: seededRandom(3), statistic: median })
    expect(run()).toEqual(run())
    expect(run().estimate).toBeCloseTo(0.5, 12)
    expect(run().low).toBeLessThan(0.5)
    expect(run().high).toBeGreaterThan(0.5)
    expect(bootstrapInterval([7, 7, 7], { random: seededRandom(4) })).toMatchObject({
      estimate: 7,
      low: 7,
      high: 7,
    })
    expect(() => bootstrapInterval([1], { random: seededRandom(5) })).toThrow('values: expected at least 2')
    expect(() => bootstrapInterval([1, 2], { random: seededRandom(5), resamples: 3 })).toThrow('resamples')
  })
})
