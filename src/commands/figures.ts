/** Charts for a paper: as wide as one or two columns, as SVG or, printed by a Chromium, as PDF with vector fonts. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { columnWidths, printLook, toSvg } from '../report/chart/svg.ts'
import { familiesOfAll } from '../report/palette.ts'
import { putAll } from '../report/put.ts'
import type { Report } from '../report/report.ts'
import { findChromium } from './chromium.ts'
import { UsageError } from './command.ts'

export type ColumnWidth = keyof typeof columnWidths

interface Figure {
  /** File name, without extension. */
  readonly name: string
  readonly svg: string
}

/** The charts of all reports, in the colours of the page. */
export function figuresOf(reports: readonly Report[], column: ColumnWidth): Figure[] {
  const look = printLook(familiesOfAll(reports))
  return reports.flatMap((report) =>
    report.charts.map((chart) => ({
      name: `${report.name}-${chart.id}`,
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
  if (status === 0 && statSync(to, { throwIfNoEntry: false })) return
  const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit code ${status}`
  throw new Error(`${to}: cannot write (${chromium}: ${reason})`)
}

/** Writes figures into a folder; returns their file names. */
export function writeFigures(
  figures: readonly Figure[],
  folder: string,
  pdf: boolean,
  done: (file: string) => void = () => {},
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
