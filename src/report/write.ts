/** Writes a report in every format, and the page that shows them all. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toCsv } from './csv.ts'
import { toLatex } from './latex.ts'
import { toMarkdown } from './markdown.ts'
import { type PageOptions, toPage } from './page.ts'
import type { Report } from './report.ts'
import { toSvg } from './svg.ts'

/** A report as JSON: what accepted numbers are kept as. */
export const toJson = (report: Report): string => `${JSON.stringify(report, null, 1)}\n`

function put(folder: string, name: string, text: string): void {
  const draft = join(folder, `.${name}.${process.pid}.tmp`)
  writeFileSync(draft, text)
  renameSync(draft, join(folder, name))
}

/**
 * Writes `NAME.json`, `.md`, `.csv`, `.tex` and one `.svg` per chart; charts of an earlier run that are no more go.
 * @example
 * const report = { name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }
 * await writeReport(report, './reports') // ['mine.json', 'mine.md', 'mine.csv', 'mine.tex']
 */
export async function writeReport(report: Report, folder = 'reports'): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const { name } = report
  const files = new Map([
    [`${name}.json`, toJson(report)],
    [`${name}.md`, toMarkdown(report)],
    [`${name}.csv`, toCsv(report)],
    [`${name}.tex`, toLatex(report)],
  ])
  for (const chart of report.charts) files.set(`${name}-${chart.id}.svg`, await toSvg(chart))
  for (const old of readdirSync(folder))
    if (old.startsWith(`${name}-`) && old.endsWith('.svg') && !files.has(old)) rmSync(join(folder, old))
  for (const [file, text] of files) put(folder, file, text)
  return [...files.keys()]
}

/** The order in which reports stand on the page; others follow by name. */
const reportOrder = [
  'figure1',
  'table7',
  'agreement',
  'table1',
  'table2',
  'table3',
  'table4',
  'table5',
  'table6',
  'figure2',
  'audit',
]

/**
 * All reports of a folder, in the order of the page.
 * @example
 * await writeReport({ name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }, './reports')
 * readReports('./reports').map(({ name }) => name) // ['mine']
 */
export function readReports(folder = 'reports'): Report[] {
  const place = (name: string) => reportOrder.indexOf(name) + 1 || reportOrder.length + 1
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Partial<Report>)
    .filter((report): report is Report => Array.isArray(report.tables) && Array.isArray(report.charts))
    .sort((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1))
}

/**
 * Writes `index.html` from the reports of a folder: the same bytes for the same reports.
 * @example
 * await writeReport({ name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }, './reports')
 * writeIndex('./reports') // ./reports/index.html
 */
export function writeIndex(folder = 'reports', options: PageOptions = {}): void {
  put(folder, 'index.html', toPage(readReports(folder), options))
}

/** What a run did: the only place where date and duration stand. */
export interface Run {
  readonly date: string
  readonly seconds: number
  readonly [key: string]: string | number
}

/** Writes `run.json`. */
export function writeRun(folder: string, run: Run): void {
  put(folder, 'run.json', `${JSON.stringify(run, null, 1)}\n`)
}
