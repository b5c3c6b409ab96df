import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logGammaTail } from '../../src/core/stats/log-gamma-tail.ts'
import { logTwoGammasTail } from '../../src/core/stats/log-two-gammas-tail.ts'
import { logWeightedExponentialsTail } from '../../src/core/stats/log-weighted-exponentials-tail.ts'
import { logRatio } from './exact.ts'

/** e^-(num/den) in units of 2^-bits, by its series; the argument is halved until it is small. */
function exponentialOf(num: bigint, den: bigint, bits: bigint): bigint {
  const one = 1n << (bits + 64n)
  let halvings = 0n
  while (num > den << halvings) halvings++
  let [term, sum] = [one, one]
  for (let j = 1n; term !== 0n; j++) {
    term = (-term * num) / (den << halvings) / j
    sum += term
  }
  for (let i = 0n; i < halvings; i++) sum = (sum * sum) / one
  return sum >> 64n
}

/** ln of the sum over i of (product over j != i of w_i / (w_i - w_j)) e^(-x / w_i), for different whole weights, in fixed-point numbers. */
function closedForm(x: bigint, weights: readonly bigint[]): number {
  const bits = 6000n
  let sum = 0n
  for (const w of weights) {
    let [num, den] = [1n, 1n]
    for (const other of weights)
      if (other !== w) {
        num *= w
        den *= w - other
      }
    sum += (num * exponentialOf(x, w, bits)) / den
  }
  return logRatio(sum, 1n << bits)
}

describe('the tail of a weighted sum of exponentials', () => {
  test('equals the closed form for different weights, down to 1e-300 and beyond', () => {
    const cases: [bigint, bigint[]][] = [
      [1n, [1n, 2n]],
      [10n, [2n, 1n]],
      [40n, [1n, 2n, 3n, 4n, 5n, 6n]],
      [700n, [1n, 2n, 3n, 5n, 8n, 13n, 21n]],
      [2000n, [1n, 2n]],
      [15_000n, [1n, 7n, 20n, 3n]],
      [300n, Array.from({ length: 20 }, (_, i) => BigInt(i + 1))],
    ]
    for (const [x, weights] of cases) {
      const found = logWeightedExponentialsTail(Number(x), weights.map(Number))
      const exact = closedForm(x, weights)
      expect(Math.abs(Math.expm1(found - exact))).toBeLessThan(1e-11 * Math.max(1, -exact))
    }
    expect(closedForm(15_000n, [1n, 7n, 20n, 3n])).toBeLessThan(Math.log(1e-300))
  })

  test('is the Gamma tail for equal weights, and that of two Gamma variables for two', () => {
    expect(logWeightedExponentialsTail(600, new Array(500).fill(1))).toBe(logGammaTail(600, 500))
    expect(logWeightedExponentialsTail(1200, new Array(500).fill(2))).toBe(logGammaTail(600, 500))
    for (const x of [10, 100, 200, 800, 3000]) {
      const weights = [...new Array(50).fill(1), ...new Array(50).fill(4)]
      const exact = logTwoGammasTail(x, 50, 4, 1)
      expect(Math.abs(Math.expm1(logWeightedExponentialsTail(x, weights) - exact))).toBeLessThan(1e-10)
    }
  })

  test('falls in x, scales with the weights, and grows when a weight does', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(weights, fc.double({ min: 0.1, max: 6, noNaN: true }), (list, over) => {
        const x = over * list.reduce((sum, w) => sum + w, 0)
        const tail = logWeightedExponentialsTail(x, list)
        expect(tail).toBeLessThanOrEqual(0)
        expect(logWeightedExponentialsTail(1.1 * x, list)).toBeLessThanOrEqual(tail + 1e-11)
        expect(
          logWeightedExponentialsTail(
            2 * x,
            list.map((w) => 2 * w),
          ),
        ).toBeCloseTo(tail, 9)
        expect(logWeightedExponentialsTail(x, [list[0]! + 1, ...list.slice(1)])).toBeGreaterThanOrEqual(
          tail - 1e-11,
        )
      }),
      { numRuns: 100 },
    )
  })

  test('the ends, and what is refused', () => {
    expect(logWeightedExponentialsTail(0, [1, 2])).toBe(0)
    expect(logWeightedExponentialsTail(1, [])).toBe(Number.NEGATIVE_INFINITY)
    expect(logWeightedExponentialsTail(Number.POSITIVE_INFINITY, [1])).toBe(Number.NEGATIVE_INFINITY)
    expect(() => logWeightedExponentialsTail(1, [0])).toThrow(/weights: expected/)
    expect(() => logWeightedExponentialsTail(1, [1, 1e9])).toThrow(/ratio of the largest/)
    expect(() => logWeightedExponentialsTail(Number.NaN, [1])).toThrow(/x: expected/)
  })
})
