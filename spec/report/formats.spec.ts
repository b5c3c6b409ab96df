import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { csvColumns, toCsv } from '../../src/bench/report/csv.ts'
import { formatNumber, formatP, formatValue } from '../../src/bench/report/format.ts'
import { escapeLatex, toLatex } from '../../src/bench/report/latex.ts'
import { toMarkdown } from '../../src/bench/report/markdown.ts'
import { inks } from '../../src/bench/report/palette.ts'
import { readReports } from '../../src/bench/report/read.ts'
import { writeReport } from '../../src/bench/report/write.ts'
import { sample } from './sample.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-report-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('numbers', () => {
  test('p-values keep their order of magnitude', () => {
    expect([1, 0.0372, 0.00914, 5.56e-5, 1e-300, 9.96e-7].map(formatP)).toEqual([
      '1.000',
      '0.037',
      '9.1e-3',
      '5.6e-5',
      '1.0e-300',
      '1.0e-6',
    ])
  })

  test('units', () => {
    expect(formatNumber(0.9457, { unit: 'percent' })).toBe('94.6')
    expect(formatNumber(20.1681, { unit: 'number', digits: 2 })).toBe('20.17')
    const tpr = sample.tables[0]!.columns[0]!
    expect(formatValue(sample.tables[0]!.rows[1]!.cells.tpr, tpr)).toBe('46.0 [41.0, 51.0]')
    expect(formatValue(null, tpr)).toBe('-')
  })
})

describe('formats', () => {
  const lines = (text: string) => text.split(/\r?\n/)

  test('Markdown: ours, the interval and the paper; markup in text is harmless', () => {
    const text = toMarkdown(sample)
    expect(text).toContain('| method | Detection: TPR@1% (%) | paper |')
    expect(text).toContain('| KGW(δ=2.0) | 97.0 [92.0, 100.0] | 98.0 |')
    expect(text).toContain('biased, 100% & "loud" \\| \\<b>')
    expect(text).toContain('**KJV to modern English** in place of WMT16 ro-en.')
    const rows = lines(text).filter((line) => line.startsWith('|'))
    const widths = rows.map((row) => row.replaceAll('\\|', '').split('|').length)
    expect(new Set(widths).size).toBe(1)
  })

  test('CSV: one line per number, every field in its place', () => {
    const [head, ...body] = lines(toCsv(sample).trimEnd())
    expect(head).toBe(csvColumns.join(','))
    expect(body.length).toBe(7 * 6 - 1)
    expect(body).toContain(
      'sample-table,synthid(layers=20),SynthID,tpr,percent,proportion,0.97,0.9199999999999999,1,200,0.98',
    )
    expect(body.find((line) => line.includes('loud'))).toContain('"biased, 100% & ""loud"" | <b>"')
  })

  test('LaTeX: booktabs, as many cells as columns, nothing unescaped', () => {
    const text = toLatex(sample)
    for (const rule of ['\\toprule', '\\midrule', '\\bottomrule']) expect(text).toContain(rule)
    expect(text).toContain('KGW($\\delta$=2.0)')
    expect(text).toContain('100\\% \\&')
    const rows = lines(text).filter((line) => line.endsWith('\\\\'))
    const columns = /\\begin\{tabular\}\{(.+)\}$/m.exec(text)![1]!.replace(/\{\d+cm\}/g, '').length
    for (const row of rows) expect(row.replaceAll('\\&', '').split('&').length).toBe(columns)
    expect(escapeLatex('a_b\\c#~^{}')).toBe(
      'a\\_b\\textbackslash{}c\\#\\textasciitilde{}\\textasciicircum{}\\{\\}',
    )
  })

  test('a report is written in all formats, and charts it no longer has are removed', async () => {
    await writeReport(sample, folder)
    expect(readdirSync(folder).sort()).toEqual([
      'sample-axes.svg',
      'sample-budget.svg',
      'sample-length.svg',
      'sample-spread.svg',
      'sample.csv',
      'sample.json',
      'sample.md',
      'sample.tex',
    ])
    await writeReport({ ...sample, charts: sample.charts.slice(1) }, folder)
    expect(readdirSync(folder)).not.toContain('sample-axes.svg')
    await expect(writeReport({ ...sample, name: '../sample' }, folder)).rejects.toThrow(
      /report.name: expected a file name .* got '..\/sample'/,
    )
    expect(readReports(folder)).toEqual([{ ...sample, charts: sample.charts.slice(1) }])
    expect(readFileSync(join(folder, 'sample.json'), 'utf8')).toMatch(/\n$/)
  })
})

describe('colours', () => {
  const luminance = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
    }) as [number, number, number]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (a: string, b: string) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
    return (high + 0.05) / (low + 0.05)
  }

  test('every family has its own, with a contrast of at least 3 (WCAG 1.4.11)', () => {
    const families = [
      'unwatermarked',
      'kgw',
      'unigram',
      'dipmark',
      'gammaReweight',
      'mcmark',
      'sta1',
      'synthid',
      'itsEdit',
      'expEdit',
      'gumbel',
      'christ',
      'deltaReweight',
      'mine',
      'yours',
      'theirs',
      'ours',
    ]
    const all = [...inks(families).values()]
    expect(new Set(all.map((ink) => ink.light)).size).toBe(families.length)
    for (const ink of all) {
      expect(contrast(ink.light, '#ffffff')).toBeGreaterThanOrEqual(3)
      expect(contrast(ink.dark, '#191c24')).toBeGreaterThanOrEqual(3)
    }
  })
})
