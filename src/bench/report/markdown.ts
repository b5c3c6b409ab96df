/** A report as Markdown: what is read on a code host. */
import { anchor, printable } from './escape.ts'
import { besides, formatPaper, formatValue, heading, shownColumns } from './format.ts'
import type { Chart, Column, Report, Row, Table } from './report.ts'

/** Text that Markdown shows as it is: no tags, links, emphasis, code, formulas or cells of its own. */
export const escapeMarkdown = (text: string): string =>
  printable(text)
    .replace(/[\\`*|~$]|(?<![a-z0-9])_|_(?![a-z0-9])|<(?=[a-z/!?])|\](?=[([:])/gi, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')

const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`

/** One table; columns with published figures have them beside ours. */
export function tableToMarkdown(table: Table): string {
  const columns = shownColumns(table)
  const head = besides(columns, heading, () => 'paper')
  const body = ({ cells }: Row) =>
    besides(
      columns,
      (column) => formatValue(cells[column.id], column),
      (column) => formatPaper(cells[column.id], column),
    )
  const side = ({ unit }: Column) => (unit === 'text' ? ':--' : '--:')
  const align = besides(columns, side, side)
  return [
    `### ${escapeMarkdown(table.title)}`,
    ...(table.caption ? ['', escapeMarkdown(table.caption)] : []),
    '',
    line([table.rowLabel ?? 'method', ...head]),
    `|${[':--', ...align].join('|')}|`,
    ...table.rows.map((row) => line([row.label, ...body(row)])),
    ...(table.rows.length === 0 ? ['', 'No rows.'] : []),
  ].join('\n')
}

const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join('\n')

/** A chart as a link to its file. */
function picture(report: Report, { id, title, caption }: Chart): string {
  const name = escapeMarkdown(title).replace(/\\?[[\]]/g, (c) => `\\${c.at(-1)}`)
  const below = caption ? `\n\n*${escapeMarkdown(caption)}*` : ''
  return `![${name}](${anchor(report.name)}-${anchor(id)}.svg)${below}`
}

/** The whole report. Charts are linked as the SVG files beside it. */
export function toMarkdown(report: Report): string {
  const standIns = report.standIns.map(
    ({ paper, here }) => `- **${escapeMarkdown(here)}** in place of ${escapeMarkdown(paper)}.`,
  )
  const provenance = Object.entries(report.provenance).map(([key, value]) => `${key}: ${value}`)
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    bullets(report.summary),
    ...(standIns.length > 0
      ? [
          `**Scale: ${escapeMarkdown(report.scale)}.** What differs from the paper's set-up:\n\n${standIns.join('\n')}`,
        ]
      : []),
    ...(report.charts.length + report.tables.length === 0 ? ['This report is empty.'] : []),
    ...report.charts.map((chart) => picture(report, chart)),
    ...report.tables.map(tableToMarkdown),
    ...(report.notes.length > 0 ? [`## Notes\n\n${bullets(report.notes)}`] : []),
    'Intervals are 95% confidence intervals: exact (Clopper-Pearson) for proportions, by order statistics for medians, Student t for means.',
    `## Provenance\n\n${bullets(provenance)}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
