/** A table of a report as text for a terminal. */
import { formatValue, heading } from '../report/format.ts'
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

export function tableToText(table: Table): string {
  const head = [table.rowLabel ?? 'method', ...table.columns.map(heading)]
  const body = table.rows.map((row) => [
    row.label,
    ...table.columns.map((column) => formatValue(row.cells[column.id], column)),
  ])
  return `${table.title}\n${aligned([head, ...body])}`
}
