/** The committed reports: every file is what its JSON says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { printLook, toSvg } from '../../src/bench/report/chart/svg.ts'
import { toCsv } from '../../src/bench/report/csv.ts'
import { readDocuments } from '../../src/bench/report/documents.ts'
import { toLatex } from '../../src/bench/report/latex.ts'
import { toMarkdown } from '../../src/bench/report/markdown.ts'
import { toPage } from '../../src/bench/report/page.ts'
import { familiesOfAll } from '../../src/bench/report/palette.ts'
import { readReports } from '../../src/bench/report/read.ts'
import { toJson } from '../../src/bench/report/write.ts'
import { root } from '../commands/program.ts'

const folder = join(root, 'reports')
const reports = readReports(folder)

describe('files', () => {
  test.each(reports.map((report) => [report.name, report] as const))(
    '%s is what its JSON says',
    (name, report) => {
      const read = (kind: string) => readFileSync(join(folder, `${name}.${kind}`), 'utf8')
      expect(read('json')).toBe(toJson(report))
      expect(read('md')).toBe(toMarkdown(report))
      expect(read('csv')).toBe(toCsv(report))
      expect(read('tex')).toBe(toLatex(report))
    },
  )

  test('so are charts and the page (written by npx uwbench report --files)', () => {
    for (const report of reports)
      for (const chart of report.charts) {
        const file = `${report.name}-${chart.id}.svg`
        const svg = toSvg(chart, { look: printLook(familiesOfAll([report])) })
        expect(readFileSync(join(folder, file), 'utf8'), file).toBe(`${svg}\n`)
      }
    expect(
      readFileSync(join(folder, 'index.html'), 'utf8') ===
        toPage(reports, { documents: readDocuments(folder) }),
    ).toBe(true)
  })
})
