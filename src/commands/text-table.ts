/** A table of a report as text for a terminal. */
import { formatPaper, formatValue, hasPaper, heading } from '../report/format.ts'
import type { Table } from '../report/report.ts'

/** Rows as aligned columns: the first to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The paper's figures stand to the right of ours, in the columns where it has any. */
export function tableToText(table: Table): string {
  const columns = table.columns.map((column) => ({ column, paper: hasPaper(column, table.rows) }))
  const head = columns.flatMap(({ column, paper }) => [heading(column), ...(paper ? ['paper'] : [])])
  const body = table.rows.map(({ label, cells }) => [
    label,
    ...columns.flatMap(({ column, paper }) => {
      const value = cells[column.id]
      return [formatValue(value, column), ...(paper ? [formatPaper(value, column) || '-'] : [])]
    }),
  ])
  return `${table.title}\n${aligned([[table.rowLabel ?? 'method', ...head], ...body])}`
}
