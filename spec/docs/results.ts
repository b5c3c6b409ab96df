/** The main picture and table of the last accepted run, for the README. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableToMarkdown } from '../../src/report/markdown.ts'
import type { Report } from '../../src/report/report.ts'
import { root } from '../commands/program.ts'

/** A report of reports/, where there is one. */
function report(name: string): Report | undefined {
  const file = join(root, 'reports', `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined
}

export function results(): string {
  const [scores, figure] = [report('table7'), report('figure1')]
  if (!scores || !figure) return 'The main picture and table stand here after a full run of the benchmark.'
  const standIns = scores.standIns.map(
    ({ paper, here }) => `- ${here.trim().replace(/,$/, '')} stands in for ${paper}`,
  )
  const [table] = scores.tables
  return [
    '## What came out',
    ...figure.charts.slice(0, 1).map(({ id, title }) => `![${title}](reports/figure1-${id}.svg)`),
    ...figure.charts.slice(0, 1).map(({ caption = '' }) => caption),
    ['table7', 'table1', 'table2', 'agreement']
      .flatMap((name) => report(name)?.summary ?? [])
      .map((sentence) => `- ${sentence}`)
      .join('\n'),
    tableToMarkdown({ ...table!, title: '', caption: '' }).replace(/^### \n\n/, ''),
    `Scale: ${scores.scale}. [What it can and cannot say](#where-the-numbers-come-from). All tables: [reports/](reports/).`,
    standIns.join('\n'),
  ].join('\n\n')
}
