/** The fewest tokens that any detector needs. */
import { describe, expect, test } from 'vitest'
import { dipmark, gammaReweight, gumbel, kgw, mcmark, sta1, synthid, unwatermarked } from '../../src/index.ts'
import { likelihoodBound } from '../../src/theory/likelihood-bound.ts'
import { tokensNeeded } from '../../src/theory/tokens-needed.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

const p = Float64Array.of(0.5, 0.2, 0.15, 0.15)
const needed = (watermark: AnyWatermark): number => likelihoodBound(watermark, p, 0.01, 0.9).tokens

describe('closed forms', () => {
  test('a point mass: an unmarked text agrees with probability (sum p^2)^n', () => {
    for (const distribution of [p, Float64Array.of(0.9, 0.1), Float64Array.of(0.25, 0.25, 0.25, 0.25)]) {
      const agree = distribution.reduce((sum, mass) => sum + mass ** 2, 0)
      const { tokens, nats, exact } = likelihoodBound(gumbel(), distribution, 0.01, 0.999)
      expect(tokens).toBe(Math.ceil(Math.log(0.01) / Math.log(agree)))
      expect(nats).toBeCloseTo(-distribution.reduce((sum, mass) => sum + mass * Math.log(mass), 0), 12)
      expect(exact).toBe(true)
    }
  })
  test('nothing to see', () => {
    expect(likelihoodBound(unwatermarked(), p, 0.01, 0.9)).toEqual({
      tokens: Number.POSITIVE_INFINITY,
      nats: 0,
      exact: true,
    })
    expect(likelihoodBound(dipmark({ alpha: 0 }), p, 0.01, 0.9).tokens).toBe(Number.POSITIVE_INFINITY)
    expect(likelihoodBound(gumbel(), Float64Array.of(1), 0.01, 0.9).tokens).toBe(Number.POSITIVE_INFINITY)
  })
})

test('two tokens of probability 1/2: hardly better than counting green tokens', () => {
  // where both tokens have one colour nothing is said; else green has e/(1 + e): the count over those half of the positions is sufficient
  const half = Float64Array.of(0.5, 0.5)
  const { tokens, exact } = likelihoodBound(kgw({ delta: 1 }), half, 0.01, 0.9)
  expect(exact).toBe(true)
  const choose = (n: number): number[] => {
    const row = [1]
    for (let k = 1; k <= n; k++) row.push((row[k - 1]! * (n - k + 1)) / k)
    return row
  }
  /** P(the best test with n tokens detects): the difference of green and red among positions that say something. */
  const power = (n: number): number => {
    const green = Math.E / (1 + Math.E)
    const [marked, unmarked] = [new Map<number, number>(), new Map<number, number>()]
    for (const [m, ways] of choose(n).entries())
      for (const [k, orders] of choose(m).entries()) {
        const [at, weight] = [2 * k - m, (ways * orders) / 2 ** n]
        marked.set(at, (marked.get(at) ?? 0) + weight * green ** k * (1 - green) ** (m - k))
        unmarked.set(at, (unmarked.get(at) ?? 0) + weight / 2 ** m)
      }
    let [level, found] = [0, 0]
    for (let at = n; at >= -n && level + (unmarked.get(at) ?? 0) <= 0.01; at--) {
      level += unmarked.get(at) ?? 0
      found += marked.get(at) ?? 0
    }
    return found
  }
  // ln(q/p) of green and red are ln 1.46 and ln 0.54, not opposite numbers: the difference alone is not the likelihood ratio, but close
  const byDifference = Array.from({ length: 400 }, (_, n) => n).find((n) => power(n) >= 0.9)!
  expect(tokens).toBeLessThanOrEqual(byDifference)
  expect(tokens).toBeGreaterThan(0.85 * byDifference)
})

test.each<[AnyWatermark]>([
  [gumbel()],
  [gammaReweight()],
  [gammaReweight({ detector: 'linear' })],
  [dipmark({ alpha: 0.3 })],
  [mcmark({ channels: 10 })],
  [sta1()],
  [kgw({ delta: 2 })],
  [synthid({ layers: 2 })],
])('$id: its detector needs no fewer tokens', (watermark) => {
  const own = tokensNeeded(watermark, p, 0.01, 0.9)
  expect(own.applicable && own.high).toBeGreaterThanOrEqual(needed(watermark))
})

test('the detector does not change the bound, the strength does', () => {
  expect(needed(gammaReweight({ detector: 'linear' }))).toBe(
    likelihoodBound(gammaReweight(), p, 0.01, 0.9).tokens,
  )
  expect(needed(kgw({ delta: 1 }))).toBeGreaterThan(needed(kgw({ delta: 2 })))
})

describe('positions with different distributions', () => {
  const [sure, open] = [Float64Array.of(0.9, 0.1, 0, 0), Float64Array.of(0.25, 0.25, 0.25, 0.25)]
  test('a list of one is that one', () => {
    for (const watermark of [gumbel(), kgw({ delta: 1 }), mcmark({ channels: 10 })] as AnyWatermark[]) {
      expect(likelihoodBound(watermark, [p], 0.01, 0.9)).toEqual(likelihoodBound(watermark, p, 0.01, 0.9))
      expect(tokensNeeded(watermark, [p], 0.01, 0.9)).toEqual(tokensNeeded(watermark, p, 0.01, 0.9))
    }
  })
  test('a point mass: an unmarked text agrees with the mean probability to the n', () => {
    const agree = (0.82 + 0.25) / 2
    const { tokens, nats } = likelihoodBound(gumbel(), [sure, open], 0.01, 0.999)
    expect(tokens).toBe(Math.ceil(Math.log(0.01) / Math.log(agree)))
    expect(nats).toBeCloseTo((Math.log(4) - 0.9 * Math.log(0.9) - 0.1 * Math.log(0.1)) / 2, 12)
  })
  test('sta1 sees only the mean of sum p^2, in closed form and by listing', () => {
    const same = Float64Array.of(
      ...[3, -1, -1, -1].map((sign) => 1 / 4 + sign * Math.sqrt((1.07 / 2 - 1 / 4) / 12)),
    )
    const { markedScore: _, ...listed } = sta1()
    for (const watermark of [sta1(), listed])
      expect(tokensNeeded(watermark, [sure, open], 0.01, 0.9)).toMatchObject({
        ...tokensNeeded(sta1(), same, 0.01, 0.9),
        mean: expect.closeTo(1 / 2 + (1 - 1.07 / 2) / 4, 12),
      })
  })
  test('what is refused', () => {
    expect(() => tokensNeeded(gumbel(), [], 0.01, 0.9)).toThrow('distribution.length')
    expect(() => likelihoodBound(gumbel(), [p, Float64Array.of(1)], 0.01, 0.9)).toThrow(
      'distribution[1].length',
    )
    expect(() => likelihoodBound(gumbel(), [p, [1] as never], 0.01, 0.9)).toThrow('distribution[1]')
  })
})
