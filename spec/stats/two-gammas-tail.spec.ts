import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logGammaTail } from '../../src/core/stats/log-gamma-tail.ts'
import { logSumExp } from '../../src/core/stats/log-sum-exp.ts'
import { logTwoGammasTail } from '../../src/core/stats/log-two-gammas-tail.ts'

/** ln of P(aA + bB >= x) by the integral over A of its density times the tail of B, with Simpson's rule in log space. */
function byIntegration(x: number, n: number, a: number, b: number): number {
  let logFactorial = 0
  for (let i = 2; i < n; i++) logFactorial += Math.log(i)
  const steps = 40_000
  const [end, h] = [x / a, x / a / steps]
  const logs = [logGammaTail(end, n)]
  for (let i = 0; i <= steps; i++) {
    const t = i * h
    const density = n === 1 ? -t : (n - 1) * Math.log(t) - t - logFactorial
    if (density === Number.NEGATIVE_INFINITY) continue
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2
    logs.push(Math.log((weight * h) / 3) + density + logGammaTail(Math.max(0, (x - a * t) / b), n))
  }
  return logSumExp(logs)
}

describe('the tail of a weighted sum of two Gamma variables', () => {
  test('equals the integral, in the body and down to 1e-300', () => {
    for (const n of [1, 2, 10, 50, 200])
      for (const weight of [0.1, 0.2, 0.45, 0.7])
        for (const over of [0.5, 1, 1.5, 3]) {
          const x = n * over
          const exact = logTwoGammasTail(x, n, 1 - weight, weight)
          expect(Math.abs(Math.expm1(exact - byIntegration(x, n, 1 - weight, weight)))).toBeLessThan(1e-9)
        }
    const far = logTwoGammasTail(730, 50, 0.8, 0.2)
    expect(far).toBeLessThan(Math.log(1e-300))
    expect(Math.abs(Math.expm1(far - byIntegration(730, 50, 0.8, 0.2)))).toBeLessThan(1e-9)
  })

  test('equal weights give one Gamma tail, one term the closed form of two exponentials', () => {
    expect(logTwoGammasTail(30, 20, 0.5, 0.5)).toBeCloseTo(logGammaTail(60, 40), 12)
    for (const x of [0.1, 1, 5, 50]) {
      const closed = (0.8 * Math.exp(-x / 0.8) - 0.2 * Math.exp(-x / 0.2)) / 0.6
      expect(Math.exp(logTwoGammasTail(x, 1, 0.8, 0.2)) / closed).toBeCloseTo(1, 11)
    }
  })

  test('falls in x, is symmetric in the weights, and scales with them', () => {
    const weights = fc.double({ min: 0.05, max: 0.95, noNaN: true })
    const point = fc.double({ min: 0.01, max: 6, noNaN: true })
    fc.assert(
      fc.property(weights, point, point, fc.integer({ min: 1, max: 120 }), (w, x, y, n) => {
        const [low, high] = [n * Math.min(x, y), n * Math.max(x, y)]
        // up to rounding: the last of up to 2,300 terms has gone through as many roundings, three each
        expect(logTwoGammasTail(high, n, 1 - w, w)).toBeLessThanOrEqual(
          logTwoGammasTail(low, n, 1 - w, w) + 2e-12,
        )
        expect(logTwoGammasTail(low, n, w, 1 - w)).toBe(logTwoGammasTail(low, n, 1 - w, w))
        const scaled = logTwoGammasTail(2 * low, n, 2 * w, 2 - 2 * w)
        expect(scaled).toBeCloseTo(logTwoGammasTail(low, n, w, 1 - w), 9)
      }),
      { numRuns: 60 },
    )
  })
})
