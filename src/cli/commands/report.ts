import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Report } from '../../bench/report/index.ts'
import {
  columnWidths,
  familiesOfAll,
  fileName,
  printLook,
  putAll,
  readReports,
  sweepDrafts,
  toSvg,
  writeIndex,
  writeReport,
} from '../../bench/report/index.ts'
import { refreshed } from '../../bench/run/index.ts'
import { oneOf } from '../../input.ts'
import { findChromium } from './chromium.ts'
import { type Command, UsageError } from './command.ts'
import { statOf } from './files.ts'
import { print } from './output.ts'

interface Figure {
  /** File name, without extension. */
  readonly name: string
  readonly svg: string
}

/** The charts of all reports for a paper, as wide as one or two columns, in the colours of the page. */
function figuresOf(reports: readonly Report[], column: keyof typeof columnWidths): Figure[] {
  const look = printLook(familiesOfAll(reports))
  return reports.flatMap((report) =>
    report.charts.map((chart) => ({
      name: `${fileName('report.name', report.name)}-${fileName('chart.id', chart.id)}`,
      svg: toSvg(chart, { look, width: columnWidths[column] }),
    })),
  )
}

/** A page of exactly the size of the drawing. */
function pageOf(svg: string): string {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!
  return `<!doctype html><meta charset="utf-8"><style>@page{size:${width}px ${height}px;margin:0}html,body{margin:0}svg{display:block}</style>${svg}`
}

/** Seconds that a Chromium may take for one chart. */
const MAX_SECONDS = 60

function printPdf(chromium: string, from: string, to: string, profile: string): void {
  const root = process.getuid?.() === 0
  const { status, stderr, error } = spawnSync(
    chromium,
    [
      '--headless',
      '--disable-gpu',
      ...(root ? ['--no-sandbox'] : []),
      `--user-data-dir=${profile}`,
      '--no-pdf-header-footer',
      `--print-to-pdf=${to}`,
      pathToFileURL(from).href,
    ],
    { encoding: 'utf8', timeout: 1000 * MAX_SECONDS },
  )
  if (status === 0 && statOf(to)) return
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit code ${status}`
  throw new Error(`${to}: cannot write (${chromium}: ${reason})`)
}

/** Writes figures into a folder, as SVG or, printed by a Chromium, as PDF with vector fonts. */
function writeFigures(
  figures: readonly Figure[],
  folder: string,
  pdf: boolean,
  done: (file: string) => void,
): void {
  const chromium = pdf ? findChromium() : undefined
  if (pdf && chromium === undefined)
    throw new UsageError('--pdf needs a Chromium: install one, or set CHROMIUM to its path')
  mkdirSync(folder, { recursive: true })
  if (chromium === undefined) {
    putAll(figures.map(({ name, svg }) => [join(folder, `${name}.svg`), `${svg}\n`]))
    for (const { name } of figures) done(`${name}.svg`)
    return
  }
  const scratch = mkdtempSync(join(tmpdir(), 'uwbench-figures-'))
  try {
    for (const { name, svg } of figures) {
      const page = join(scratch, `${name}.html`)
      writeFileSync(page, pageOf(svg))
      printPdf(chromium, page, resolve(folder, `${name}.pdf`), join(scratch, 'profile'))
      done(`${name}.pdf`)
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

export const report: Command = {
  usage: '[DIR]',
  summary:
    'Writes DIR/index.html, one page with every report of DIR (reports/ by default), and prints where it is.',
  words: 1,
  flags: {
    files: { help: 'also compute again what follows from the tables of each report, and rewrite its files' },
    figures: { value: 'OUT', help: 'also write each chart for a paper into the folder OUT, as SVG' },
    pdf: { help: 'write these as PDF, printed by an installed Chromium' },
    column: { value: 'C', help: 'their width: single (3.33 in) or double (7 in), the default' },
  },
  async run(input, output) {
    const folder = input.words[0] ?? 'reports'
    const figures = input.flag('figures')
    const column = oneOf('--column', input.flag('column') ?? 'double', ['single', 'double'] as const)
    if (figures === undefined && (input.on('pdf') || input.flag('column') !== undefined))
      throw new UsageError('--pdf and --column need --figures OUT')
    if (!statOf(folder)?.isDirectory()) throw new UsageError(`${folder}: no such folder`)
    sweepDrafts(folder)
    const reports = readReports(folder)
    if (reports.length === 0)
      throw new UsageError(`${folder}: holds no reports; run the benchmark first: npm run bench`)
    if (input.on('files')) for (const one of refreshed(reports)) await writeReport(one, folder)
    writeIndex(folder)
    print(output, resolve(folder, 'index.html'))
    if (figures !== undefined)
      writeFigures(figuresOf(reports, column), figures, input.on('pdf'), (file) =>
        print(output, resolve(figures, file)),
      )
    return 0
  },
}
