import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Figure, figure } from '../../src/bench/paper/figure.ts'
import { methods, rowOf, rows } from '../../src/bench/paper/methods.ts'
import { publishedTables } from '../../src/bench/paper/tables/index.ts'

const tables = Object.values(publishedTables)

describe('the published tables', () => {
  test('are seven, numbered in order, with 580 figures', () => {
    expect(tables.map((t) => t.number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(tables.flatMap((t) => t.rows.flatMap((r) => Object.values(r.figures)))).toHaveLength(580)
  })

  test.each(tables.map((t) => [t.number, t] as const))('table %i has every method once', (number, table) => {
    const expected = number <= 2 ? rows : methods
    expect(table.rows.map((r) => r.method).toSorted()).toEqual([...expected].toSorted())
  })

  test('hold every figure within the range of its unit', () => {
    const top: Record<Figure['unit'], number> = {
      percent: 1,
      probability: 1,
      fraction: 1,
      'cosine similarity': 1,
      'F-measure': 1,
      'score (of 1)': 1,
      'BLEU points (of 100)': 100,
      perplexity: 10,
    }
    for (const table of tables)
      for (const row of table.rows)
        for (const { value, unit } of Object.values<Figure>(row.figures)) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(top[unit])
        }
  })

  test('add up to sums taken from the source by another program', () => {
    const total = (t: (typeof tables)[number]) =>
      t.rows.flatMap((r) => Object.values<Figure>(r.figures)).reduce((s, f) => s + f.value, 0)
    expect(tables.map((t) => Number(total(t).toFixed(6)))).toEqual([
      557.7507, 49.4987, 63.875573, 26.5736, 18.4438, 35.6166, 38.581,
    ])
  })
})

describe('figure', () => {
  test('keeps value, digits and unit', () => {
    expect(figure('68.7%', 'percent')).toEqual({
      printed: '68.7%',
      value: 0.687,
      halfUnit: 0.0005,
      unit: 'percent',
    })
    expect(figure('3.72e-02', 'probability')).toMatchObject({ value: 0.0372, halfUnit: 0.00005 })
    expect(figure('20.1681', 'BLEU points (of 100)')).toMatchObject({ value: 20.1681, halfUnit: 0.00005 })
  })

  test('a number and what it is printed as are at most half a unit apart', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 0, max: 6 }),
        (x, digits) => {
          const { value, halfUnit } = figure(x.toFixed(digits), 'fraction')
          expect(Math.abs(value - x)).toBeLessThanOrEqual(halfUnit * (1 + 1e-9) + 1e-14 * x)
        },
      ),
    )
  })

  test('refuses what is no figure, and a percentage where there should be none', () => {
    expect(() => figure('1,5', 'fraction')).toThrow(/printed: expected a decimal number.*'1,5'/)
    expect(() => figure('5%', 'fraction')).toThrow(/a figure in fraction/)
    expect(() => figure('5', 'percent')).toThrow(/a figure in percent/)
  })
})

test('rowOf knows every spelling and refuses others', () => {
  expect(rowOf('KGW(δ=2)')).toBe(rowOf('KGW(δ=2.0)'))
  expect(rowOf('DiPmark(α=0.5)')).toBe('gammaReweight')
  expect(() => rowOf('KGW(δ=3)')).toThrow(/KGW\(δ=3\)/)
  expect(() => rowOf('Rainbow')).toThrow(/Rainbow/)
})
