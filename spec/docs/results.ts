/** The picture, facts, sentences and table of the last accepted run, for the README and its pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeMarkdown, tableToMarkdown } from '../../src/report/markdown.ts'
import { readReports } from '../../src/report/read.ts'
import type { Report } from '../../src/report/report.ts'
import { inPlaceOf } from '../../src/report/sentence.ts'
import { root } from '../commands/program.ts'

const committed = (): Report[] => readReports(join(root, 'reports'))

const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')

const none = 'This part will be written after a full run of the benchmark.'

/** The chart that heads the page. */
export function picture(reports: readonly Report[] = committed()): string {
  for (const { name, charts, headline } of reports) {
    const chart = charts.find(({ id }) => id === headline?.chart)
    if (chart)
      return `![${escapeMarkdown(chart.title)}](reports/${name}-${chart.id}.svg)\n\n${escapeMarkdown(chart.caption ?? '')}`.trim()
  }
  return none
}

/** Reports whose sentences are facts, which results need not repeat. */
const factual = ['false-positives', 'paper-audit']

/** Three facts: what the gate found in published code, what published tests' false positives are, what the paper's tables do not bear out. */
export function facts(reports: readonly Report[] = committed()): string {
  const findings = readFileSync(join(root, 'reports/reference-findings.md'), 'utf8')
  const count = [...findings.matchAll(/^## \d+\. /gm)].length
  const summary = (name: string) => reports.find((report) => report.name === name)?.summary.join(' ')
  const [rates, audit] = factual.map((name) => escapeMarkdown(summary(name) ?? none))
  return [
    `- **Published code.** ${count} places where published implementations differ from what their papers assume, each with the law that it concerns and the size of the effect ([findings](reports/reference-findings.md)).`,
    `- **p-values.** ${rates} ([table](reports/false-positives.md))`,
    `- **The paper's tables.** ${audit} ([audit](reports/paper-audit.md))`,
  ].join('\n')
}

/** What the other reports say in a sentence each. */
export function results(reports: readonly Report[] = committed()): string {
  const said = reports.flatMap(({ name, headline }) =>
    headline && !factual.includes(name) ? [headline.sentence] : [],
  )
  if (said.length === 0) return none
  const scales = [...new Set(reports.map(({ scale }) => scale))]
  return `${bullets(said)}\n\nScale: ${escapeMarkdown(scales[0]!)}. All tables: [the three scores](docs/numbers.md#the-three-scores) and those beside them in \`reports/\`.`
}

/** The main table, with what stands in for parts of the paper's set-up. */
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
