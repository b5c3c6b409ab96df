/** A table of a report as text for a terminal. */

import type { Table, Value } from '../../bench/report/index.ts'
import { besides, formatPaper, formatValue, heading, shownColumns } from '../../bench/report/index.ts'
import { MAX_COLUMNS } from './output.ts'

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

/** Columns of a table that a terminal shows. */
const FEW = 5

/** Keeps only our figures of a table: a terminal has no room for intervals, the paper's figures and groups of columns. */
const plainTable = (table: Table): Table => ({
  ...table,
  columns: table.columns.map(({ group: _, ...column }) => column),
  rows: table.rows.map((row) => ({
    ...row,
    cells: Object.fromEntries(
      Object.entries(row.cells).map(([id, value]) => {
        if (!value || value.kind === 'text') return [id, value]
        return [id, { kind: 'exact', value: value.value } satisfies Value]
      }),
    ),
  })),
})

/** A table as text for a terminal: its first columns, as many as fit 80 characters and at most five. */
export function tableForTerminal(table: Table): string {
  const plain = plainTable(table)
  for (let count = FEW; ; count--) {
    const text = tableToText({ ...plain, columns: plain.columns.slice(0, count) })
    const [, ...lines] = text.split('\n')
    if (count === 1 || lines.every((line) => line.length <= MAX_COLUMNS)) return text
  }
}

/** The paper's figures stand to the right of ours, in the columns where it has any. */
export function tableToText(table: Table): string {
  const columns = shownColumns(table)
  const head = besides(columns, heading, () => 'paper')
  const body = table.rows.map(({ label, cells }) => [
    label,
    ...besides(
      columns,
      (column) => formatValue(cells[column.id], column),
      (column) => formatPaper(cells[column.id], column) || '-',
    ),
  ])
  return `${table.title}\n${aligned([[table.rowLabel ?? 'method', ...head], ...body])}`
}
