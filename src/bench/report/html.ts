/** Tables as HTML. They are complete without a script: sorting only reorders what is there. */
import { markup } from './escape.ts'
import { besides, formatNumber, formatPaper, type Shown, shownColumns } from './format.ts'
import type { Column, Row, Table, Value } from './report.ts'

/** The families of a page by number, so that names of any kind are never part of a class. */
export interface Families {
  /** The number of a family with a colour; undefined for others. */
  number(family: string): number | undefined
  isMethod(family: string): boolean
}

export interface TableOptions extends Families {
  /** The name of the files of its report, where the page links to them. */
  readonly file?: string
}

/** Tables with more cells in a row than this have their intervals below the values. */
const MAX_ROOMY_CELLS = 8

/** Tables with more than this are printed in the smallest letters that can be read. */
const MAX_PRINTED_CELLS = 13

const density = (cells: number): string =>
  cells > MAX_PRINTED_CELLS ? ' class="dense denser"' : cells > MAX_ROOMY_CELLS ? ' class="dense"' : ''

/** Attributes of a cell for the script: its interval, and the texts that it is about. */
function dataOf(value: Value, column: Column): string {
  const interval = 'low' in value ? ` data-low="${markup(value.low)}" data-high="${markup(value.high)}"` : ''
  return `${interval} data-texts="${markup(column.texts ?? column.id)}"`
}

function valueCell(value: Value | null | undefined, column: Column, best: boolean): string {
  if (!value) return `<td${column.unit === 'text' ? ' class="text"' : ''} data-sort="">&ndash;</td>`
  if (value.kind === 'text')
    return `<td class="text" data-sort="${markup(value.value)}">${markup(value.value)}</td>`
  const number = (x: number) => markup(formatNumber(x, column))
  const interval = 'low' in value ? ` <small>${number(value.low)}&ndash;${number(value.high)}</small>` : ''
  const title = [
    value.kind === 'place' ? `of ${value.n}` : 'n' in value ? `n = ${value.n}` : value.kind,
    ...(value.note ? [value.note] : []),
  ].join('; ')
  return `<td data-sort="${markup(value.value)}" title="${markup(title)}"${dataOf(value, column)}${best ? ' class="best"' : ''}><b>${number(value.value)}</b>${interval}</td>`
}

/** The best value of a column among methods. */
function bestOf(column: Column, rows: readonly Row[], families: Families): number | undefined {
  if (!column.better) return undefined
  const values = rows
    .filter((row) => families.isMethod(row.family))
    .map((row) => row.cells[column.id])
    .flatMap((value) => (value && value.kind !== 'text' ? [value.value] : []))
  if (values.length === 0) return undefined
  return column.better === 'higher' ? Math.max(...values) : Math.min(...values)
}

/** Headings of groups of columns, where there are any. */
function groupHeads(columns: readonly Shown[]): string {
  const groups: { name: string; span: number }[] = []
  for (const { column, paper } of columns) {
    const [last, name] = [groups.at(-1), column.group ?? '']
    const span = paper ? 2 : 1
    if (last?.name === name) last.span += span
    else groups.push({ name, span })
  }
  if (groups.every((group) => group.name === '')) return ''
  const heads = groups.map(
    ({ name, span }) => `<th class="group" colspan="${span}" scope="colgroup">${markup(name)}</th>`,
  )
  return `<tr><td></td>${heads.join('')}</tr>`
}

function heads(table: Table, columns: readonly Shown[]): string {
  let at = 0
  const head = (text: string, first: string, kind = '') =>
    `<th scope="col" data-column="${at++}" data-first="${first}"${kind}><button type="button">${markup(text)}</button></th>`
  const name = head(table.rowLabel ?? 'Method', 'ascending')
  const cells = columns.map(({ column, paper }) => {
    const first = column.better === 'lower' || column.unit === 'text' ? 'ascending' : 'descending'
    const unit = column.unit === 'percent' && !column.label.includes('%') ? ' %' : ''
    const text = `${column.label}${unit}`
    const group = column.group ? ` data-group="${markup(column.group)}"` : ''
    const better = column.better ? ` data-better="${markup(column.better)}"${group}` : ''
    const own = head(text, first, `${column.unit === 'text' ? ' class="text"' : ''}${better}`)
    return paper ? own + head('paper', first) : own
  })
  return `${groupHeads(columns)}<tr>${name}${cells.join('')}</tr>`
}

function tableRow(
  row: Row,
  columns: readonly Shown[],
  best: Map<string, number | undefined>,
  families: Families,
) {
  const own = (column: Column) => {
    const value = row.cells[column.id]
    const isBest =
      families.isMethod(row.family) && value?.value !== undefined && value.value === best.get(column.id)
    return valueCell(value, column, isBest)
  }
  const paper = (column: Column) => {
    const value = row.cells[column.id]
    return `<td class="paper" data-sort="${markup(value?.paper ?? '')}">${markup(formatPaper(value, column)) || '&ndash;'}</td>`
  }
  const cells = besides(columns, own, paper)
  const number = families.number(row.family)
  const swatch = number === undefined ? '' : `<i class="swatch f-${number}"></i>`
  const name = `<th scope="row" data-sort="${markup(row.label)}" data-row="${markup(row.id)}">${swatch}${markup(row.label)}</th>`
  return `<tr${number === undefined ? '' : ` data-family="${number}"`}>${name}${cells.join('')}</tr>`
}

/** A sortable table with ours beside the paper's. `id` is safe already. */
export function tableToHtml(table: Table, id: string, families: TableOptions): string {
  const columns = shownColumns(table).sort(
    (a, b) => Number(b.column.first ?? false) - Number(a.column.first ?? false),
  )
  const best = new Map(table.columns.map((column) => [column.id, bestOf(column, table.rows, families)]))
  const rows = table.rows.map((row) => tableRow(row, columns, best, families))
  const cells = columns.reduce((sum, { paper }) => sum + (paper ? 2 : 1), 0)
  if (rows.length === 0) rows.push(`<tr><td colspan="${cells + 1}">No rows.</td></tr>`)
  const caption = table.caption ? `<figcaption>${markup(table.caption)}</figcaption>` : ''
  const { file } = families
  const links =
    file === undefined
      ? ''
      : `<span class="file"><a href="${file}.csv">CSV</a> <a href="${file}.tex">TeX</a> <a href="${file}.json">JSON</a></span>`
  return `<figure class="card" id="${id}">${links}<h3>${markup(table.title)}</h3>${caption}
<div class="frame"><div class="scroll" tabindex="0" role="region" aria-label="${markup(table.title)}"><table${density(cells)}>
<thead>${heads(table, columns)}</thead>
<tbody>
${rows.join('\n')}
</tbody></table></div></div></figure>`
}
