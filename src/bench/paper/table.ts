/** A published table as data: one line of text per row, so that it can be read beside the paper. */
import { list, outOfRange, wrongType } from '../../input.ts'
import { type Figure, figure, type Unit } from './figure.ts'
import { type Row, rowOf } from './methods.ts'

/** A table of the paper as data. */
export interface PublishedTable<Column extends string = string> {
  /** The number LaTeX gives it. */
  readonly number: number
  /** Its \label in the source. */
  readonly label: string
  readonly caption: string
  readonly columns: Readonly<Record<Column, Unit>>
  /** In the order printed. */
  readonly rows: readonly PublishedRow<Column>[]
}

/** One printed row. */
export interface PublishedRow<Column extends string = string> {
  /** The name as this table prints it. */
  readonly name: string
  readonly method: Row
  readonly figures: Readonly<Record<Column, Figure>>
}

interface Printed<Column extends string> extends Omit<PublishedTable<Column>, 'rows'> {
  /** One row per line: the name, then its figures, two or more spaces between. */
  readonly rows: string
}

/** Reads a table from the text of its rows. */
export function publishedTable<Column extends string>(printed: Printed<Column>): PublishedTable<Column> {
  const columns = Object.entries(printed.columns) as [Column, Unit][]
  const lines = printed.rows.trim().split('\n')
  const rows = lines.map((line) => {
    const [name = '', ...cells] = line.trim().split(/\s{2,}/)
    if (cells.length !== columns.length)
      throw outOfRange(`a row of ${printed.label}`, `${columns.length} figures`, line)
    const figures = columns.map(([column, unit], i) => [column, figure(cells[i]!, unit)])
    return { name, method: rowOf(name), figures: Object.fromEntries(figures) as Record<Column, Figure> }
  })
  return { ...printed, rows }
}

/**
 * The row of a method, or an error that says which table lacks it.
 * @example publishedRow(publishedTables.detection, 'synthid').figures.AUROC.printed // '0.995'
 */
export function rowFor<Column extends string>(
  table: PublishedTable<Column>,
  method: Row,
): PublishedRow<Column> {
  if (typeof table !== 'object' || table === null)
    throw wrongType('table', 'a table such as publishedTables.detection', table)
  const rows = Array.from(list<PublishedRow<Column>>('table.rows', table.rows, 'a list of rows'))
  const row = rows.find((r) => r?.method === method)
  if (!row) throw outOfRange('method', `a row of table ${table.number}`, method)
  return row
}
