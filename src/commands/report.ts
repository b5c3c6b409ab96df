import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { sweepDrafts } from '../report/put.ts'
import { readReports } from '../report/read.ts'
import { writeIndex, writeReport } from '../report/write.ts'
import { type Command, UsageError } from './command.ts'
import { print } from './output.ts'

export const report: Command = {
  usage: '[DIR]',
  summary:
    'Writes DIR/index.html, one page with every report of DIR (reports/ by default), and prints where it is.',
  words: 1,
  flags: {
    files: { help: 'also rewrite the Markdown, CSV, TeX and SVG files of each report from its JSON' },
  },
  async run(input, output) {
    const folder = input.words[0] ?? 'reports'
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${folder}: no such folder`)
    sweepDrafts(folder)
    const reports = readReports(folder)
    if (reports.length === 0)
      throw new UsageError(`${folder}: holds no reports; run the benchmark first: npm run bench`)
    if (input.on('files')) for (const one of reports) await writeReport(one, folder)
    writeIndex(folder)
    print(output, resolve(folder, 'index.html'))
    return 0
  },
}
