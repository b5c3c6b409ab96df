import { describe, expect, test } from 'vitest'
import { compareReports, explain, sameValue } from '../../src/bench/report/compare.ts'
import type { Report, Value } from '../../src/bench/report/report.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { fisherTest } from '../../src/core/stats/fisher.ts'
import { sample } from './sample.ts'

/** The sample with one value changed. */
function changed(column: string, change: (value: Value) => Value | null): Report {
  const [table] = sample.tables
  const rows = table!.rows.map((row, i) =>
    i === 2 ? { ...row, cells: { ...row.cells, [column]: change(row.cells[column]!) } } : row,
  )
  return { ...sample, tables: [{ ...table!, rows }] }
}
const differences = (report: Report) =>
  compareReports(sample, report).differences.map(({ row, column }) => `${row} ${column}`)

describe("Fisher's test", () => {
  test('agrees with values worked out by hand', () => {
    // P(X >= 3) with 4 and 4, total 4: (C(4,3) C(4,1) + C(4,4)) / C(8,4) = 17/70
    expect(fisherTest(3, 4, 1, 4)).toBeCloseTo(34 / 70, 12)
    expect(fisherTest(4, 4, 0, 4)).toBeCloseTo(2 / 70, 12)
    expect(fisherTest(2, 4, 2, 4)).toBe(1)
    expect(fisherTest(0, 0, 3, 9)).toBe(1)
  })

  test('is symmetric in the samples and in hits and misses', () => {
    const random = seededRandom('fisher')
    for (let i = 0; i < 50; i++) {
      const [n1, n2] = [1 + random.below(40), 1 + random.below(40)]
      const [a, b] = [random.below(n1 + 1), random.below(n2 + 1)]
      const p = fisherTest(a, n1, b, n2)
      expect(fisherTest(b, n2, a, n1)).toBeCloseTo(p, 10)
      expect(fisherTest(n1 - a, n1, n2 - b, n2)).toBeCloseTo(p, 10)
    }
  })
})

describe('a comparison of reports', () => {
  test('a report equals itself', () => {
    expect(differences(sample)).toEqual([])
  })

  test.each([
    ['tpr', (v: Value) => ({ ...v, hits: 100, value: 0.5 }) as Value],
    ['p', (v: Value) => ({ ...v, value: 0.5, guard: [0.4, 0.6] }) as Value],
    ['auroc', (v: Value) => ({ ...v, value: 0.5 }) as Value],
    ['bleu', (v: Value) => ({ ...v, value: 10 }) as Value],
    ['budget', (v: Value) => ({ ...v, value: (v.value as number) + 1 }) as Value],
    ['remark', (v: Value) => ({ ...v, value: 'something else' }) as Value],
    ['tpr', () => null],
  ])('a large change of %s is found, and only that', (column, change) => {
    expect(differences(changed(column, change))).toEqual([`kgw(delta=2,gamma=0.5) ${column}`])
  })

  test.each([
    ['tpr', (v: Value) => ({ ...v, hits: 190, value: 0.95 }) as Value],
    ['p', (v: Value) => ({ ...v, value: 1e-9 }) as Value],
    ['auroc', (v: Value) => ({ ...v, value: 0.97 }) as Value],
    ['bleu', (v: Value) => ({ ...v, value: 18.5 }) as Value],
    ['budget', (v: Value) => ({ ...v, value: (v.value as number) * (1 + 1e-14) }) as Value],
  ])('a change of %s that chance explains is none', (column, change) => {
    expect(differences(changed(column, change))).toEqual([])
  })

  test('a lost row, a new column and a changed kind are differences', () => {
    const [table] = sample.tables
    const fewer = { ...sample, tables: [{ ...table!, rows: table!.rows.slice(1) }] }
    expect(differences(fewer).length).toBe(5)
    expect(sameValue({ kind: 'exact', value: 1 }, { kind: 'text', value: '1' })).toBe(0)
  })

  test('the message names cells, values, the rate and what to do', () => {
    const comparison = compareReports(
      sample,
      changed('bleu', (v) => ({ ...v, value: 10 }) as Value),
    )
    const text = explain('table 1', comparison)
    expect(text).toContain(
      'sample-table / kgw(delta=2,gamma=0.5) / bleu: accepted 17.90 [16.90, 18.90], now 10.00',
    )
    expect(text).toContain('at most 0.0001 for the whole report')
    expect(text).toContain('vitest -u')
  })
})
