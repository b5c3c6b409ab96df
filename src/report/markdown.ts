/** A report as Markdown: what is read on a code host. */
import { formatPaper, formatValue, hasPaper, heading } from './format.ts'
import type { Report, Row, Table } from './report.ts'

const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`

/** One table; columns with published figures have them beside ours. */
export function tableToMarkdown(table: Table): string {
  const columns = table.columns.map((column) => ({ column, paper: hasPaper(column, table.rows) }))
  const head = columns.flatMap(({ column, paper }) =>
    paper ? [heading(column), 'paper'] : [heading(column)],
  )
  const body = (row: Row) =>
    columns.flatMap(({ column, paper }) => {
      const value = row.cells[column.id]
      return paper ? [formatValue(value, column), formatPaper(value, column)] : [formatValue(value, column)]
    })
  const align = columns.flatMap(({ column, paper }) => {
    const side = column.unit === 'text' ? ':--' : '--:'
    return paper ? [side, side] : [side]
  })
  return [
    `### ${table.title}`,
    ...(table.caption ? ['', table.caption] : []),
    '',
    line([table.rowLabel ?? 'method', ...head]),
    `|${[':--', ...align].join('|')}|`,
    ...table.rows.map((row) => line([row.label, ...body(row)])),
  ].join('\n')
}

/** The whole report. Charts are linked as the SVG files beside it. */
export function toMarkdown(report: Report): string {
  const standIns = report.standIns.map(({ paper, here }) => `- **${here}** stands in for ${paper}.`)
  const provenance = Object.entries(report.provenance).map(([key, value]) => `- ${key}: ${value}`)
  const parts = [
    `# ${report.title}`,
    report.summary.map((sentence) => `- ${sentence}`).join('\n'),
    ...(standIns.length > 0
      ? [`**Scale: ${report.scale}.** ${'In place of parts of the paper:'}\n\n${standIns.join('\n')}`]
      : []),
    ...report.charts.map(
      (chart) =>
        `![${chart.title}](${report.name}-${chart.id}.svg)${chart.caption ? `\n\n*${chart.caption}*` : ''}`,
    ),
    ...report.tables.map(tableToMarkdown),
    ...(report.notes.length > 0 ? [`## Notes\n\n${report.notes.map((note) => `- ${note}`).join('\n')}`] : []),
    'Intervals are 95% confidence intervals: exact (Clopper-Pearson) for proportions, by order statistics for medians, Student t for means.',
    `## Provenance\n\n${provenance.join('\n')}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
