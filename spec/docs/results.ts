/** The main picture, sentences and table of the last accepted run, for the README. */
import { join } from 'node:path'
import { escapeMarkdown, tableToMarkdown } from '../../src/report/markdown.ts'
import { readReports } from '../../src/report/read.ts'
import type { Report } from '../../src/report/report.ts'
import { inPlaceOf } from '../../src/report/sentence.ts'
import { root } from '../commands/program.ts'

const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')

/** The block: the chart that heads the page, what the reports say in a sentence each, and the first table. */
export function results(reports: readonly Report[] = readReports(join(root, 'reports'))): string {
  const first = reports.find(({ charts, headline }) => charts.some(({ id }) => id === headline?.chart))
  const chart = first?.charts.find(({ id }) => id === first.headline?.chart)
  const main = reports.find(({ tables }) => tables.some(({ rows }) => rows.length > 0))
  if (!first || !chart || !main)
    return 'The main picture and table will appear here after a full run of the benchmark.'
  const { title: _, caption: __, ...table } = main.tables.find(({ rows }) => rows.length > 0)!
  return [
    '## What came out',
    `![${escapeMarkdown(chart.title)}](reports/${first.name}-${chart.id}.svg)`,
    ...(chart.caption ? [escapeMarkdown(chart.caption)] : []),
    bullets(reports.flatMap(({ headline }) => (headline ? [headline.sentence] : []))),
    tableToMarkdown({ ...table, title: '' }).replace(/^### \n\n/, ''),
    `Scale: ${escapeMarkdown(main.scale)}. [What it can and cannot say](#where-the-numbers-come-from). All tables: [reports/](reports/).`,
    ...(main.standIns.length > 0 ? [bullets(main.standIns.map(inPlaceOf))] : []),
  ].join('\n\n')
}
