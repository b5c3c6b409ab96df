import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Figure } from '../../src/bench/paper/figure.ts'
import { around, type Interval } from '../../src/bench/paper/interval.ts'
import {
  detectabilityRange,
  detectabilityScore,
  impliedMedianP,
  robustnessScore,
  significance,
  unbiasednessRange,
  unbiasednessScore,
} from '../../src/bench/paper/scores.ts'

const rate = fc.double({ min: 0, max: 1, noNaN: true })
const metric = fc.integer({ min: 1, max: 9999 }).map((x) => x / 1000)
const five = fc.array(metric, { minLength: 5, maxLength: 5 })
const unbiasednessInput = fc.record({
  oneShot: five,
  repeated: five,
  none: fc.record({ oneShot: five, repeated: five }),
})

describe('unbiasedness score', () => {
  test('is 1 for the unwatermarked model itself', () => {
    fc.assert(
      fc.property(five, five, (oneShot, repeated) => {
        expect(unbiasednessScore({ oneShot, repeated, none: { oneShot, repeated } })).toBe(1)
      }),
    )
  })

  test('is 1 - 0.6 D1 - 0.4 D2, a gap below that of no watermark counting as none', () => {
    const none = { oneShot: [1, 2], repeated: [0.1, 0.2] }
    // D1 = (0.5 + 0.5)/2, D2 = (max(0, 0.3 - 0.1)/1 + max(0, 0.1 - 0.2)/2)/2
    const score = unbiasednessScore({ oneShot: [1.5, 1], repeated: [0.3, 0.1], none })
    expect(score).toBeCloseTo(1 - 0.6 * 0.5 - 0.4 * 0.1, 12)
  })

  test('figures that round to the same digits give a score in the range', () => {
    const figureOf = (value: number): Figure => ({ printed: '', value, halfUnit: 0.0005, unit: 'fraction' })
    const around5 = (xs: readonly number[]): Interval[] => xs.map((x) => around(figureOf(x)))
    const shifts = fc.array(fc.double({ min: -0.0005, max: 0.0005, noNaN: true }), {
      minLength: 20,
      maxLength: 20,
    })
    fc.assert(
      fc.property(unbiasednessInput, shifts, ({ oneShot, repeated, none }, by) => {
        const [low, high] = unbiasednessRange({
          oneShot: around5(oneShot),
          repeated: around5(repeated),
          none: { oneShot: around5(none.oneShot), repeated: around5(none.repeated) },
        })
        const moved = (xs: readonly number[], from: number) => xs.map((x, i) => x + by[from + i]!)
        const score = unbiasednessScore({
          oneShot: moved(oneShot, 0),
          repeated: moved(repeated, 5),
          none: { oneShot: moved(none.oneShot, 10), repeated: moved(none.repeated, 15) },
        })
        const slack = 1e-9 * (1 + Math.abs(score))
        expect(score).toBeGreaterThanOrEqual(low - slack)
        expect(score).toBeLessThanOrEqual(high + slack)
      }),
    )
  })
})

describe('detectability score', () => {
  test('is 1 at best and 0 at worst', () => {
    expect(detectabilityScore({ tpr5: 1, tpr1: 1, tpr01: 1, medianP: 1e-40, auroc: 1 })).toBeCloseTo(1, 12)
    expect(detectabilityScore({ tpr5: 0, tpr1: 0, tpr01: 0, medianP: 1, auroc: 0 })).toBe(0)
  })

  test('weighs the 0.1% rate most', () => {
    const none = { tpr5: 0, tpr1: 0, tpr01: 0, medianP: 1, auroc: 0 }
    expect(detectabilityScore({ ...none, tpr5: 1 })).toBeCloseTo(0.12, 12)
    expect(detectabilityScore({ ...none, tpr1: 1 })).toBeCloseTo(0.18, 12)
    expect(detectabilityScore({ ...none, tpr01: 1 })).toBeCloseTo(0.3, 12)
    expect(detectabilityScore({ ...none, auroc: 1 })).toBeCloseTo(0.25, 12)
    expect(detectabilityScore({ ...none, medianP: 1e-11 })).toBeCloseTo(0.075, 12)
  })

  test('a smaller p-value raises it, and the range turns with it', () => {
    const at = (p: Interval) =>
      detectabilityRange({ tpr5: [1, 1], tpr1: [1, 1], tpr01: [1, 1], medianP: p, auroc: [1, 1] })
    const [low, high] = at([1e-4, 1e-3])
    expect(high - low).toBeCloseTo((0.15 * 1) / 22, 12)
    expect(significance(1e-22)).toBe(1)
    expect(significance(1e-300)).toBe(1)
  })

  test('gives back the median p-value it was computed from', () => {
    const input = fc.record({ tpr5: rate, tpr1: rate, tpr01: rate, auroc: rate })
    fc.assert(
      fc.property(input, fc.double({ min: -21, max: 0, noNaN: true }), (x, exponent) => {
        const medianP = 10 ** exponent
        const implied = impliedMedianP(detectabilityScore({ ...x, medianP }), x)
        expect(Math.log10(implied)).toBeCloseTo(exponent, 9)
      }),
    )
  })
})

test('robustness score: weights add to one, DIPPER counts 0.2', () => {
  const rates = (x: number) => ({ at5: x, at1: x, at01: x })
  const all = (x: number) => ({
    DIPPER: rates(x),
    'Random 30%': rates(x),
    'Random 20%': rates(x),
    'Random 10%': rates(x),
  })
  expect(robustnessScore(all(1))).toBeCloseTo(1, 12)
  expect(robustnessScore({ ...all(0), DIPPER: rates(1) })).toBeCloseTo(0.2, 12)
  expect(robustnessScore({ ...all(0), 'Random 10%': { at5: 0, at1: 0, at01: 1 } })).toBeCloseTo(1 / 15, 12)
})
