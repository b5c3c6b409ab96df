/** Every number in the generated parts of the README, and in the sentences of every report, is found in the data of a report. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protocols } from '../../src/bench/protocols/index.ts'
import type { Protocol } from '../../src/bench/protocols/protocol.ts'
import { readReports } from '../../src/bench/report/read.ts'
import type { Report } from '../../src/bench/report/report.ts'
import { paperExperiments } from '../../src/bench/run/experiments.ts'
import { median } from '../../src/core/stats/index.ts'
import { root } from '../commands/program.ts'

const folder = join(root, 'reports')
const reports = readReports(folder)

/** Rates and decimals of a text; levels that a sentence is about, and parameters of methods, are not results. */
function numbersIn(sentence: string): string[] {
  const plain = sentence
    .replace(/\([^()]*=[^()]*\)/g, '')
    .replace(/\b(FPR|Random|nominal|above|rate of|probability of|widths of) \d[\d.]*%/g, '')
    .replace(/(Insert|Delete|Synonyms) \d+%/g, '')
    .replace('1% per method', '')
  return plain.match(/-?\d[\d,]*(?:\.\d+%?|%)/g) ?? []
}

/** Every number of a report: of cells, intervals, sizes and charts, and the ratios of bars. */
function dataOf({ tables, charts }: Report): number[] {
  const found: number[] = []
  const visit = (value: unknown): void => {
    if (typeof value === 'number') found.push(value)
    else if (value !== null && typeof value === 'object') for (const one of Object.values(value)) visit(one)
  }
  visit(tables.map(({ rows }) => rows.map(({ cells }) => cells)))
  visit(charts)
  const bars = charts.flatMap((chart) =>
    chart.kind === 'bars' ? [chart.bars.map(({ value }) => value)] : [],
  )
  return [...found, ...bars.flatMap((list) => list.map((value) => list[0]! / value)), ...medians(tables)]
}

/** Medians over the guaranteed tests of each column, and the median and the largest half-width of its intervals. */
const medians = (tables: Report['tables']): number[] =>
  tables.flatMap(({ columns, rows }) =>
    columns.flatMap(({ id }) => {
      const own = rows.filter(({ nominal, family }) => !nominal && family !== 'unwatermarked')
      const values = own.flatMap(({ cells }) => {
        const value = cells[id]
        return value && typeof value.value === 'number' ? [value] : []
      })
      const halves = values.map((value) => ('low' in value ? (value.high - value.low) / 2 : 0))
      if (values.length === 0) return []
      return [median(values.map(({ value }) => value as number)), median(halves), Math.max(...halves)]
    }),
  )

/** Returns whether a printed number is a number of the data, rounded, or a percentage of one. */
function isIn(printed: string, data: readonly number[]): boolean {
  const digits = /\.(\d+)/.exec(printed)?.[1]?.length ?? 0
  const value = Number(printed.replace(/[,%]/g, ''))
  const scale = printed.endsWith('%') ? 100 : 1
  const half = 0.5 * 10 ** -digits + 1e-9
  return data.some((one) => Math.abs(scale * one - value) <= half)
}

/** Numbers of the sentences of a report that its data does not have. */
const unknownIn = (report: Report, sentences: readonly string[]): string[] => {
  const data = dataOf(report)
  return sentences.flatMap(numbersIn).filter((printed) => !isIn(printed, data))
}

const own = new Map(Object.values(paperExperiments()).map((experiment) => [experiment.name, experiment]))
const told = reports.filter(({ name }) => own.has(name)).map((report) => [report.name, report] as const)

const sentencesOf = (report: Report) => {
  const { protocol, options = {} } = own.get(report.name)!
  return (protocols[protocol] as Protocol).say(report, options)
}

test.each(told)('the sentences of %s are what its tables say, counts included', (_, report) => {
  const { summary, headline } = sentencesOf(report)
  expect(report.summary).toEqual(summary)
  expect(report.headline).toEqual(headline)
})

test('a changed cell changes a sentence', () => {
  const report = structuredClone(reports.find(({ name }) => name === 'agreement')!)
  const cell = report.tables[0]!.rows[0]!.cells.rho as { value: number }
  cell.value += 0.01
  expect(sentencesOf(report).summary).not.toEqual(report.summary)
})

test.each(told)('every rate and every decimal in the sentences of %s stands in its data', (_, report) => {
  expect(unknownIn(report, report.summary)).toEqual([])
})

test('a number that no table has is found', () => {
  const report = reports.find(({ name }) => name === 'agreement')!
  const [sentence] = report.summary
  const changed = sentence!.replace(/ρ = -?\d\.\d+/, 'ρ = 0.67891')
  expect(changed).not.toBe(sentence)
  expect(unknownIn(report, [changed])).toEqual(['0.67891'])
})

test('the generated parts of the README repeat sentences of reports, and no other numbers', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const said = reports.flatMap(({ summary }) => summary).join('\n')
  const findings = readFileSync(join(folder, 'reference-findings.md'), 'utf8').split('\n# Notes')[0]!
  for (const part of ['facts', 'results']) {
    const [, text = ''] = new RegExp(`<!-- ${part}:start -->\n([^]*?)<!-- ${part}:end -->`).exec(readme) ?? []
    expect(text.length).toBeGreaterThan(100)
    for (const line of text.split('\n').filter((one) => one.startsWith('- '))) {
      const words = line.replace(/^- (\*\*[^*]+\*\* )?/, '').replace(/ \(\[\w+\]\([^)]+\)\)\.?$/, '')
      const count = /^(\d+) findings of consequence/.exec(words)
      if (count) expect(Number(count[1])).toBe([...findings.matchAll(/^## \d+\. /gm)].length)
      else expect(said).toContain(words.replaceAll('\\', ''))
    }
  }
})
