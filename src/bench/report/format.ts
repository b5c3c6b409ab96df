/** Numbers as people read them; the same in every format. */
import type { Column, Table, Value } from './report.ts'

/** A p-value: three decimals while that says something, powers of ten below. */
export function formatP(p: number): string {
  if (p >= 0.01) return p.toFixed(3)
  if (p === 0) return '0'
  const [digits, exponent] = p.toExponential(1).split('e')
  return `${digits}e${Number(exponent)}`
}

/** One number of a column. */
export function formatNumber(value: number, column: Pick<Column, 'unit' | 'digits'>): string {
  const { unit, digits } = column
  if (unit === 'percent') return (100 * value).toFixed(digits ?? 1)
  if (unit === 'p-value') return formatP(value)
  if (unit === 'count') return Number.isInteger(value) ? String(value) : value.toFixed(digits ?? 1)
  return value.toFixed(digits ?? 3)
}

/** Value and 95% interval: `94.1 [90.2, 96.8]`. */
export function formatValue(value: Value | null | undefined, column: Column): string {
  if (!value) return '-'
  if (value.kind === 'text') return value.value
  const text = formatNumber(value.value, column)
  if (!('low' in value)) return text
  return `${text} [${formatNumber(value.low, column)}, ${formatNumber(value.high, column)}]`
}

/** The published figure in the column's unit, or nothing. */
export const formatPaper = (value: Value | null | undefined, column: Column): string =>
  value?.paper === undefined ? '' : formatNumber(value.paper, column)

/** A column as it is printed: with the paper's figures beside ours where any row has one. */
export interface Shown {
  readonly column: Column
  readonly paper: boolean
}

export const shownColumns = ({ columns, rows }: Table): Shown[] =>
  columns.map((column) => ({ column, paper: rows.some((row) => row.cells[column.id]?.paper !== undefined) }))

/** An entry for each printed column: ours, and the paper's after it where that is shown. */
export const besides = <T>(
  columns: readonly Shown[],
  ours: (column: Column) => T,
  papers: (column: Column) => T,
): T[] => columns.flatMap(({ column, paper }) => (paper ? [ours(column), papers(column)] : [ours(column)]))

/** `BLEU (%)`, with its group before it where the format has no room for two headings. */
export function heading(column: Column): string {
  const unit = column.unit === 'percent' ? ' (%)' : ''
  return `${column.group ? `${column.group}: ` : ''}${column.label}${unit}`
}
