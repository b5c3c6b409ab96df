import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { oneOf } from '../input.ts'
import { sweepDrafts } from '../report/put.ts'
import { readReports } from '../report/read.ts'
import { writeIndex, writeReport } from '../report/write.ts'
import { type Command, UsageError } from './command.ts'
import { figuresOf, writeFigures } from './figures.ts'
import { print } from './output.ts'

export const report: Command = {
  usage: '[DIR]',
  summary:
    'Writes DIR/index.html, one page with every report of DIR (reports/ by default), and prints where it is.',
  words: 1,
  flags: {
    files: { help: 'also rewrite the Markdown, CSV, TeX and SVG files of each report from its JSON' },
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
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${folder}: no such folder`)
    sweepDrafts(folder)
    const reports = readReports(folder)
    if (reports.length === 0)
      throw new UsageError(`${folder}: holds no reports; run the benchmark first: npm run bench`)
    if (input.on('files')) for (const one of reports) await writeReport(one, folder)
    writeIndex(folder)
    print(output, resolve(folder, 'index.html'))
    if (figures !== undefined)
      writeFigures(figuresOf(reports, column), figures, input.on('pdf'), (file) =>
        print(output, resolve(figures, file)),
      )
    return 0
  },
}
