import { describe, expect, test } from 'vitest'
import { totalVariation } from '../../src/core/stats/total-variation.ts'
import {
  amplificationBound,
  amplificationBracket,
  amplificationCeiling,
  bhattacharyya,
} from '../../src/theory/amplification.ts'
import { mixtureTotalVariation, productTotalVariation } from '../../src/theory/products.ts'
import { queryBudget } from '../../src/theory/query-budget.ts'
import { stepLaw } from '../../src/theory/step-law.ts'
import {
  type AnyWatermark,
  christ,
  dipmark,
  gumbel,
  kgw,
  mcmark,
  synthid,
  unwatermarked,
} from '../../src/watermarks/entry.ts'

const p = Float64Array.of(0.5, 0.3, 0.2)

describe('distances', () => {
  test('of simple pairs', () => {
    expect(bhattacharyya([1, 0], [0.5, 0.5])).toBeCloseTo(Math.SQRT1_2, 15)
    expect(bhattacharyya([1, 0], [0, 1])).toBe(0)
    expect(totalVariation([1, 0], [0.5, 0.5])).toBe(0.5)
    expect(productTotalVariation([1, 0], [0.5, 0.5], 3)).toBeCloseTo(7 / 8, 15)
    expect(productTotalVariation([1, 0], [0.5, 0.5], 0)).toBe(0)
  })

  test('refuse lists of different length and too many queries', () => {
    expect(() => bhattacharyya([1], [0.5, 0.5])).toThrow(/q: expected as many outcomes as p \(1\)/)
    expect(() => mixtureTotalVariation([{ q: Float64Array.of(0.1, 0.2, 0.7), weight: 1 }], p, 1e5)).toThrow(
      /m: expected few enough queries.*100000/,
    )
  })
})

describe('amplification', () => {
  test('bound, ceiling and bracket', () => {
    expect(amplificationBound(0.9, 10)).toBeCloseTo(1 - 0.9 ** 10, 15)
    expect(amplificationCeiling(0.9, 1)).toBeCloseTo(Math.sqrt(1 - 0.81), 15)
    expect(amplificationBracket(0.9, 0.5)).toEqual({ low: 2, high: 7 })
    expect(amplificationBracket(0, 0.5)).toEqual({ low: 1, high: 1 })
    expect(amplificationBracket(1, 0.5).low).toBe(Number.POSITIVE_INFINITY)
  })

  test('refuses coefficients and distances out of range', () => {
    expect(() => amplificationBound(1.1, 2)).toThrow(/bc: expected a number in \[0, 1\], got 1.1/)
    expect(() => amplificationBracket(0.5, 1)).toThrow(/t: expected a number in \(0, 1\), got 1/)
  })
})

describe('the law of one step', () => {
  test('is exact where codes can be listed, and where q is a point mass', () => {
    const listable: AnyWatermark[] = [dipmark({ alpha: 0.4 }), kgw({ delta: 1 }), mcmark({ channels: 5 })]
    for (const watermark of listable) expect(stepLaw(watermark, p).exact).toBe(true)
    for (const watermark of [gumbel(), christ()] as AnyWatermark[]) {
      const { members, exact } = stepLaw(watermark, p)
      expect(exact).toBe(true)
      expect(members.map(({ weight }) => weight).toSorted()).toEqual(
        [0.2, 0.3, 0.5].map((x) => expect.closeTo(x, 12)),
      )
    }
  })

  test('is a sample of keys elsewhere, and says so', () => {
    const { members, exact } = stepLaw(synthid({ layers: 20 }), p, { keys: 50 })
    expect(exact).toBe(false)
    expect(members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
  })
})

describe('query budget', () => {
  test('of dipmark: two queries with the key, six without', () => {
    expect(queryBudget(dipmark({ alpha: 0.4 }), p)).toMatchObject({ low: 2, high: 2, exact: true })
    expect(queryBudget(dipmark({ alpha: 0.4 }), p, { observer: 'blind' })).toMatchObject({ low: 6, high: 6 })
  })

  test('grows with the distance asked for', () => {
    const at = (distance: number) => queryBudget(kgw({ delta: 1 }), p, { distance }).low
    expect([0.1, 0.5, 0.9].map(at)).toEqual([0.1, 0.5, 0.9].map(at).toSorted((a, b) => a - b))
  })

  test('is infinite where no key, or too few keys, change anything', () => {
    expect(queryBudget(unwatermarked(), p)).toMatchObject({ low: Number.POSITIVE_INFINITY, affected: 0 })
    // two tokens: half of all green sets hold both or none of them
    const two = Float64Array.of(0.5, 0.5)
    expect(queryBudget(kgw({ delta: 2 }), two, { observer: 'blind' }).low).toBe(Number.POSITIVE_INFINITY)
    expect(queryBudget(kgw({ delta: 2 }), two, { observer: 'blind', distance: 0.4 }).low).toBeLessThan(50)
  })

  test('is a range where exact numbers would take too long', () => {
    const budget = queryBudget(mcmark({ channels: 100 }), p)
    expect(budget.exact).toBe(false)
    expect(budget.low).toBeLessThan(budget.high)
  })

  test('names a wrong option', () => {
    expect(() => queryBudget(gumbel(), p, { distance: 1 })).toThrow(
      /distance: expected a number in \(0, 1\), got 1/,
    )
    expect(() => queryBudget(gumbel(), p, { observer: 'god' as 'blind' })).toThrow(
      /observer: expected one of/,
    )
  })
})
