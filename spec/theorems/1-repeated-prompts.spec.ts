import fc from 'fast-check'
import { expect } from 'vitest'
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
  dipmark,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
  unigram,
  unwatermarked,
} from '../../src/watermarks/entry.ts'
import { distribution, pair } from './distributions.ts'
import { section } from './statement.ts'

const statement = section('Repeated prompts (Theorem 1)')

/** The law of m draws, text by text: what count vectors are checked against. */
function fullProduct(p: Float64Array, m: number): number[] {
  let law = [1]
  for (let i = 0; i < m; i++) law = law.flatMap((x) => Array.from(p, (y) => x * y))
  return law
}

const draws = fc.integer({ min: 1, max: 4 })

statement({
  name: 'BC of m-fold laws is BC to the m',
  how: 'exact: 200 random pairs, all texts listed',
  claim: 0,
  check: (off) => {
    fc.assert(
      fc.property(pair(), draws, ([p, q], m) => {
        const product = bhattacharyya(fullProduct(p, m), fullProduct(q, m))
        expect(Math.abs(product - bhattacharyya(p, q) ** (m + off))).toBeLessThan(1e-12)
      }),
      { numRuns: 200, examples: [[[Float64Array.of(1, 0), Float64Array.of(0.5, 0.5)], 2]] },
    )
    return undefined
  },
  falsehood: { what: 'BC to the m + 1', claim: 1 },
})

statement({
  name: 'total variation over count vectors is that over all texts',
  how: 'exact: 200 random pairs, all texts listed',
  claim: true,
  check: (multinomial) => {
    fc.assert(
      fc.property(pair(), draws, ([p, q], m) => {
        const listed = totalVariation(fullProduct(p, m), fullProduct(q, m))
        const counted = multinomial ? productTotalVariation(q, p, m) : 1 - (1 - totalVariation(p, q)) ** m
        expect(Math.abs(listed - counted)).toBeLessThan(1e-12)
      }),
      { numRuns: 200, examples: [[[Float64Array.of(0.75, 0.25), Float64Array.of(0.25, 0.75)], 2]] },
    )
    return undefined
  },
  falsehood: { what: 'TV itself multiplies: 1 - (1 - TV)^m', claim: false },
})

statement({
  name: 'TV(P^m, Q^m) >= 1 - BC^m, and <= sqrt(1 - BC^2m)',
  how: 'bounded: 300 random pairs, m up to 12, TV exact over count vectors',
  claim: 1,
  check: (power) => {
    fc.assert(
      fc.property(pair(3), fc.integer({ min: 1, max: 12 }), ([p, q], m) => {
        const tv = productTotalVariation(q, p, m)
        const bc = bhattacharyya(p, q)
        expect(tv).toBeGreaterThanOrEqual(amplificationBound(bc ** power, m) - 1e-12)
        expect(tv).toBeLessThanOrEqual(amplificationCeiling(bc, m) + 1e-7)
      }),
      { numRuns: 300, examples: [[[Float64Array.of(0.6, 0.4), Float64Array.of(0.4, 0.6)], 1]] },
    )
    return undefined
  },
  falsehood: { what: 'TV >= 1 - BC^2m', claim: 2 },
})

statement({
  name: 'total variation of m-fold laws never falls with m',
  how: 'bounded: 300 random pairs and mixtures, m up to 10',
  claim: 1,
  check: (least) => {
    fc.assert(
      fc.property(pair(3), distribution(3), fc.integer({ min: 1, max: 10 }), ([p, q], r, m) => {
        const members = p.length === 3 ? [q, r].map((x) => ({ q: x, weight: 1 / 2 })) : [{ q, weight: 1 }]
        const [now, next] = [m, m + 1].map((k) => mixtureTotalVariation(members, p, k))
        expect(next).toBeGreaterThanOrEqual(least * now! - 1e-12)
      }),
      {
        numRuns: 300,
        examples: [[[Float64Array.of(1, 0), Float64Array.of(0, 1)], Float64Array.of(1, 0, 0), 2]],
      },
    )
    return undefined
  },
  falsehood: { what: 'it rises by at least one tenth with each query', claim: 1.1 },
})

statement({
  name: 'ln(1-t^2)/(2 ln BC) <= m <= ceil(ln(1-t)/ln BC) brackets the m at which TV reaches t',
  how: 'bounded: 200 random pairs and t, TV exact at both ends',
  claim: 1,
  check: (shrink) => {
    fc.assert(
      fc.property(pair(2), fc.integer({ min: 1, max: 19 }), ([p, q], twentieths) => {
        const t = twentieths / 20
        const bc = bhattacharyya(p, q)
        fc.pre(bc < 1 - 1e-9)
        const { low, high } = amplificationBracket(bc, t)
        fc.pre(high <= 2000)
        expect(productTotalVariation(q, p, Math.ceil(high * shrink))).toBeGreaterThanOrEqual(t - 1e-12)
        if (low > 1) expect(productTotalVariation(q, p, low - 1)).toBeLessThan(t + 1e-12)
      }),
      { numRuns: 200, examples: [[[Float64Array.of(0.6, 0.4), Float64Array.of(0.4, 0.6)], 19]] },
    )
    return undefined
  },
  falsehood: { what: 'a quarter of the upper end is enough', claim: 0.25 },
})

const detectable: readonly AnyWatermark[] = [
  gumbel(),
  gammaReweight(),
  dipmark({ alpha: 0.3 }),
  dipmark({ alpha: 0.4 }),
  mcmark({ channels: 10 }),
  mcmark({ channels: 100 }),
  sta1(),
  synthid({ layers: 2 }),
  kgw({ delta: 0.5 }),
  unigram({ delta: 0.5 }),
]
const thirds = Float64Array.of(0.5, 0.3, 0.2)
/** Share of keys with BC < 1. */
const separated = (watermark: AnyWatermark, p: Float64Array): number => {
  const { members, exact } = stepLaw(watermark, p)
  expect(exact).toBe(true)
  return members.reduce((sum, { q, weight }) => sum + (bhattacharyya(q, p) < 1 - 1e-12 ? weight : 0), 0)
}

statement({
  name: 'every detectable shipped watermark has a key set of positive measure with BC < 1',
  how: 'exact: every code of 3 tokens listed, 10 watermarks',
  claim: detectable,
  check: (watermarks) => {
    const shares = watermarks.map((w) => [w.id, separated(w, thirds)] as const)
    for (const [, share] of shares) expect(share).toBeGreaterThan(0)
    return `measure on (.5, .3, .2): ${shares.map(([id, s]) => `${id} ${s.toFixed(2)}`).join(', ')}`
  },
  falsehood: { what: 'so has the identity', claim: [unwatermarked()] },
})

statement({
  name: 'the identity has BC = 1 for all keys: no number of queries tells it from the model',
  how: 'exact: 100 random distributions',
  claim: unwatermarked() as AnyWatermark,
  check: (watermark) => {
    fc.assert(
      fc.property(distribution(3), (p) => {
        expect(separated(watermark, p)).toBe(0)
        expect(queryBudget(watermark, p).low).toBe(Number.POSITIVE_INFINITY)
        expect(queryBudget(watermark, p, { observer: 'blind' }).low).toBe(Number.POSITIVE_INFINITY)
      }),
      { numRuns: 100, examples: [[thirds]] },
    )
    return undefined
  },
  falsehood: { what: 'so has dipmark(alpha=0.4)', claim: dipmark({ alpha: 0.4 }) },
})

statement({
  name: 'a blind observer learns nothing from one query exactly when the method is unbiased',
  how: 'exact: every code of 3 tokens listed, 60 random distributions, 8 unbiased watermarks',
  claim: detectable.filter((w) => w.unbiased),
  check: (watermarks) => {
    fc.assert(
      fc.property(distribution(3), (p) => {
        for (const w of watermarks)
          expect(mixtureTotalVariation(stepLaw(w, p).members, p, 1)).toBeLessThan(1e-12)
      }),
      { numRuns: 60, examples: [[Float64Array.of(0.75, 0.25, 0)]] },
    )
    return undefined
  },
  falsehood: { what: 'the same of kgw(delta=0.5)', claim: [kgw({ delta: 0.5 })] },
})

statement({
  name: 'dipmark(alpha=0.4) on (.5, .3, .2), two queries: informed 8/15 in the mean over keys, blind 0.22',
  how: 'exact: 6 orders listed',
  claim: 0.4,
  check: (alpha) => {
    const { members } = stepLaw(dipmark({ alpha }), thirds)
    const informed = members.reduce(
      (sum, { q, weight }) => sum + weight * productTotalVariation(q, thirds, 2),
      0,
    )
    const blind = mixtureTotalVariation(members, thirds, 2)
    expect(informed).toBeCloseTo(8 / 15, 12)
    expect(blind).toBeCloseTo(0.22, 12)
    return `informed ${informed.toFixed(3)}, blind ${blind.toFixed(3)}`
  },
  falsehood: { what: 'the same at alpha = 0.3', claim: 0.3 },
})

statement({
  name: 'the query budget is the smallest m with TV >= 1/2, informed and blind',
  how: 'exact: all m up to the budget computed, 40 random distributions x 5 watermarks',
  claim: 0,
  check: (off) => {
    const budgets = [
      dipmark({ alpha: 0.4 }),
      gammaReweight(),
      sta1(),
      synthid({ layers: 1 }),
      kgw({ delta: 2 }),
    ]
    fc.assert(
      fc.property(distribution(3), fc.constantFrom<AnyWatermark>(...budgets), (p, watermark) => {
        const blind = queryBudget(watermark, p, { observer: 'blind' })
        const { members } = stepLaw(watermark, p)
        fc.pre(blind.exact && blind.low < 60)
        expect(mixtureTotalVariation(members, p, blind.low + off)).toBeGreaterThanOrEqual(0.5)
        if (blind.low > 1) expect(mixtureTotalVariation(members, p, blind.low - 1)).toBeLessThan(0.5)
        const informed = queryBudget(watermark, p)
        if (!informed.exact || informed.low > 200) return
        const share = (m: number): number =>
          members.reduce((s, { q, weight }) => s + (productTotalVariation(q, p, m) >= 0.5 ? weight : 0), 0)
        expect(share(informed.low + off)).toBeGreaterThanOrEqual(0.5 - 1e-9)
        if (informed.low > 1) expect(share(informed.low - 1)).toBeLessThan(0.5)
      }),
      { numRuns: 40, examples: [[thirds, kgw({ delta: 2 })]] },
    )
    const table = detectable.map((w) => {
      const [informed, blind] = (['informed', 'blind'] as const).map((observer) => {
        const { low, high } = queryBudget(w, thirds, { observer })
        if (low === high) return `${low}`
        return high < Number.POSITIVE_INFINITY ? `${low}..${high}` : `over ${low - 1}`
      })
      return `${w.id} ${informed} / ${blind}`
    })
    return `informed / blind on (.5, .3, .2): ${table.join(', ')}`
  },
  falsehood: { what: 'one query fewer is enough', claim: -1 },
})
