/** The picture, facts, sentences and table of the last accepted run, for the README and its pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeMarkdown, tableToMarkdown } from '../../src/bench/report/markdown.ts'
import { readReports } from '../../src/bench/report/read.ts'
import type { Report } from '../../src/bench/report/report.ts'
import { inPlaceOf } from '../../src/bench/report/sentence.ts'
import { root } from '../commands/program.ts'

const committed = (): Report[] => readReports(join(root, 'reports'))

const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')

const none = 'This part will be written after a full run of the benchmark.'

/** Returns the chart at the top of the page. */
export function picture(reports: readonly Report[] = committed()): string {
  for (const { name, charts, headline } of reports) {
    const chart = charts.find(({ id }) => id === headline?.chart)
    if (chart)
      return `![${escapeMarkdown(chart.title)}](reports/${name}-${chart.id}.svg)\n\n${escapeMarkdown(chart.caption ?? '')}`.trim()
  }
  return none
}

/** Reports whose sentences are facts; the results do not repeat them. */
const factual = ['false-positives', 'paper-audit']

/** Returns the first sentences of a report. */
const said = (reports: readonly Report[], name: string, count: number): string =>
  escapeMarkdown(
    reports
      .find((report) => report.name === name)
      ?.summary.slice(0, count)
      .join(' ') ?? none,
  )

/** Returns three facts: findings in published code, false positives of published tests, errors in the paper's tables. */
export function facts(reports: readonly Report[] = committed()): string {
  const findings = readFileSync(join(root, 'reports/reference-findings.md'), 'utf8')
  const [serious] = findings.split('\n# Notes')
  const count = [...serious!.matchAll(/^## \d+\. /gm)].length
  return [
    `- **Published code.** ${count} findings of consequence in published implementations, each with repository, file and effect ([findings](reports/reference-findings.md)).`,
    `- **p-values.** ${said(reports, factual[0]!, 1)} ([table](reports/false-positives.md))`,
    `- **The paper's tables.** ${said(reports, factual[1]!, 1)} ([audit](reports/paper-audit.md))`,
  ].join('\n')
}

/** Reports whose sentences stand under "Results": what methods do, and how far that agrees with the paper. */
const shown = ['figure1', 'table2', 'table4', 'agreement']

/** Returns one sentence for each of four reports, or of all where none of these is among them. */
export function results(reports: readonly Report[] = committed()): string {
  const own = reports.filter(({ headline, name }) => headline && !factual.includes(name))
  const chosen = own.filter(({ name }) => shown.includes(name))
  const sentences = (chosen.length > 0 ? chosen : own).map(({ headline }) => headline!.sentence)
  if (sentences.length === 0) return none
  const scales = [...new Set(reports.map(({ scale }) => scale))]
  return `${bullets(sentences)}\n\nScale: ${escapeMarkdown(scales[0]!)}. All tables: [the three scores](docs/numbers.md#the-three-scores) and the others in \`reports/\`.`
}

/** Returns the main table, with the substitutes for parts of the paper's set-up. */
export function scores(reports: readonly Report[] = committed()): string {
  const main = reports.find(({ tables }) => tables.some(({ rows }) => rows.length > 0))
  const found = main?.tables.find(({ rows }) => rows.length > 0)
  if (!main || !found) return none
  const { title: _, caption: __, ...table } = found
  return [
    tableToMarkdown({ ...table, title: '' }).replace(/^### \n\n/, ''),
    ...(main.standIns.length > 0 ? [bullets(main.standIns.map(inPlaceOf))] : []),
  ].join('\n\n')
}
