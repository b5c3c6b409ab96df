/** Writes a report in every format, and the page that shows them all. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text as checkText, wrongType } from '../../input.ts'
import { printLook, toSvg } from './chart/svg.ts'
import { toCsv } from './csv.ts'
import { readDocuments } from './documents.ts'
import { toLatex } from './latex.ts'
import { toMarkdown } from './markdown.ts'
import { type PageOptions, toPage } from './page.ts'
import { familiesOfAll } from './palette.ts'
import { cannotWrite, put, putAll, sweepDrafts } from './put.ts'
import { readReports } from './read.ts'
import type { Report } from './report.ts'
import { requireReport } from './shape.ts'

/** A report as JSON: what accepted numbers are kept as. */
export const toJson = (report: Report): string => `${JSON.stringify(report, null, 1)}\n`

/** A name that is a file name and nothing else: reports may come from other people. */
export function fileName(argument: string, name: unknown): string {
  if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(name))
    throw wrongType(argument, 'a file name of letters, digits and dashes', name)
  return name
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw cannotWrite(folder, error)
  }
}

/** The files of a report: name to content. */
function filesOf(report: Report): Map<string, string> {
  const name = fileName('report.name', report.name)
  const look = printLook(familiesOfAll([report]))
  const charts = report.charts.map(
    (chart) => [`${name}-${fileName('chart.id', chart.id)}.svg`, `${toSvg(chart, { look })}\n`] as const,
  )
  return new Map([
    [`${name}.json`, toJson(report)],
    [`${name}.md`, toMarkdown(report)],
    [`${name}.csv`, toCsv(report)],
    [`${name}.tex`, toLatex(report)],
    ...charts,
  ])
}

/**
 * Writes `NAME.json`, `.md`, `.csv`, `.tex` and one `.svg` per chart, and removes charts that the report no longer has.
 * @example
 * const report = { name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }
 * await writeReport(report, './reports') // ['mine.json', 'mine.md', 'mine.csv', 'mine.tex']
 */
export async function writeReport(report: Report, folder = 'reports'): Promise<string[]> {
  requireReport('report', report)
  checkText('folder', folder)
  const files = filesOf(report)
  makeFolder(folder)
  sweepDrafts(folder)
  putAll([...files].map(([file, text]) => [join(folder, file), text]))
  for (const old of readdirSync(folder))
    if (old.startsWith(`${report.name}-`) && old.endsWith('.svg') && !files.has(old))
      rmSync(join(folder, old))
  return [...files.keys()]
}

/**
 * Writes `index.html` from the reports of a folder: the same bytes for the same reports.
 * @example
 * await writeReport({ name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }, './reports')
 * writeIndex('./reports') // ./reports/index.html
 */
export function writeIndex(folder = 'reports', options: PageOptions = {}): void {
  const reports = readReports(folder)
  const names = new Set(reports.map(({ name }) => name))
  const documents = readDocuments(folder).filter(({ name }) => !names.has(name))
  put(join(folder, 'index.html'), toPage(reports, { documents, ...options }))
}

/** The log of a run: the only place where date and duration stand. */
export interface Run {
  readonly date: string
  readonly seconds: number
  readonly [key: string]: string | number
}

/** Writes `run.json`. */
export function writeRun(folder: string, run: Run): void {
  put(join(folder, 'run.json'), `${JSON.stringify(run, null, 1)}\n`)
}
