import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auroc, clopperPearson, midRanks } from '../../src/core/stats/entry.ts'

const scores = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 12 })
const half = (a: number, b: number) => (a > b ? 1 : a === b ? 0.5 : 0)
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length
const variance = (values: number[]) =>
  values.reduce((sum, v) => sum + (v - mean(values)) ** 2, 0) / (values.length - 1)

describe('auroc', () => {
  test('is the share of pairs in the right order, ties one half', () => {
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const pairs = positives.flatMap((a) => negatives.map((b) => half(a, b)))
        expect(auroc(positives, negatives).auroc).toBeCloseTo(mean(pairs), 12)
        expect(auroc(negatives, positives).auroc).toBeCloseTo(1 - mean(pairs), 12)
      }),
    )
  })

  test("the standard error is DeLong's, from all pairs", () => {
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const rows = positives.map((a) => mean(negatives.map((b) => half(a, b))))
        const columns = negatives.map((b) => mean(positives.map((a) => half(a, b))))
        const expected = Math.sqrt(variance(rows) / positives.length + variance(columns) / negatives.length)
        expect(auroc(positives, negatives).standardError).toBeCloseTo(expected, 12)
      }),
    )
  })

  test('the standard error matches the true spread, over all samples from a small world', () => {
    // positives uniform on 0..3, negatives on {0, 1, 1, 2}: all 4^4 samples of two and two
    const [up, down] = [
      [0, 1, 2, 3],
      [0, 1, 1, 2],
    ]
    const areas: number[] = []
    const squares: number[] = []
    for (const a of up)
      for (const b of up)
        for (const c of down)
          for (const d of down) {
            const result = auroc([a, b], [c, d])
            areas.push(result.auroc)
            squares.push(result.standardError ** 2)
          }
    const spread = mean(areas.map((area) => (area - mean(areas)) ** 2))
    // DeLong leaves out a term of order 1/(mn), so at two and two it errs upwards, and by less than half
    expect(mean(squares)).toBeGreaterThan(spread)
    expect(mean(squares)).toBeLessThan(1.5 * spread)
  })

  test('a perfect separation does not claim certainty', () => {
    const perfect = auroc(
      Float64Array.from({ length: 50 }, (_, i) => 100 + i),
      Float64Array.from({ length: 80 }, (_, i) => i),
    )
    expect(perfect).toMatchObject({ auroc: 1, standardError: 0, high: 1 })
    expect(perfect.low).toBeCloseTo(clopperPearson(50, 50).low, 12)
    const tied = auroc([1, 1, 1], [1, 1, 1])
    expect(tied.auroc).toBe(0.5)
    expect(tied.high - tied.low).toBeGreaterThan(0.9)
  })

  test('the interval holds the estimate and widens with the confidence; infinite scores are scores', () => {
    const [a, b] = [
      [1, 3, 5, 7, 9],
      [2, 3, 4, 0, -1],
    ]
    const [narrow, wide] = [auroc(a, b, { confidence: 0.5 }), auroc(a, b, { confidence: 0.99 })]
    expect(wide.low).toBeLessThan(narrow.low)
    expect(narrow.low).toBeLessThan(narrow.auroc)
    expect(narrow.high).toBeGreaterThan(narrow.auroc)
    expect(
      auroc([Number.POSITIVE_INFINITY, 0], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]).auroc,
    ).toBe(0.625)
    expect(auroc([5], [1, 9, 2]).standardError).toBeGreaterThan(0)
    expect(() => auroc([], [1])).toThrow('positives: expected at least 1 value')
    expect(() => auroc([1], [Number.NaN])).toThrow('negatives[0]: expected a number, got NaN')
  })
})

test('midRanks add up and respect order', () => {
  expect(Array.from(midRanks([10, 20, 20, 5]))).toEqual([2, 3.5, 3.5, 1])
  fc.assert(
    fc.property(scores, (values) => {
      const ranks = midRanks(values)
      expect(ranks.reduce((a, b) => a + b, 0)).toBe((values.length * (values.length + 1)) / 2)
      values.forEach((value, i) => {
        const below = values.filter((other) => other < value).length
        const equal = values.filter((other) => other === value).length
        expect(ranks[i]).toBe(below + (equal + 1) / 2)
      })
    }),
  )
})
