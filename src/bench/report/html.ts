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
  /** Classes of the views that show it. */
  readonly views?: string
}

/** Tables with more cells in a row than this have their intervals below the values. */
const MAX_ROOMY_CELLS = 8

/** Tables with more than this are printed in the smallest letters that can be read. */
const MAX_PRINTED_CELLS = 13

const density = (cells: number): string =>
  cells > MAX_PRINTED_CELLS ? ' class="dense denser"' : cells > MAX_ROOMY_CELLS ? ' class="dense"' : ''

/** The remark of a cell: its sample size, how many are ranked, and its note. */
function titleOf(value: Value | null | undefined): string {
  if (!value) return ''
  const size = value.kind === 'place' ? [`of ${value.n}`] : 'n' in value ? [`n = ${value.n}`] : []
  return [...size, ...(value.note ? [value.note] : [])].join('; ')
}

/** The remark that most cells of a column have: its heading has it once, and the cells that differ have their own. */
function commonTitle({ id }: Column, rows: readonly Row[]): string {
  const counts = new Map<string, number>()
  for (const { cells } of rows)
    if (cells[id]) counts.set(titleOf(cells[id]), (counts.get(titleOf(cells[id])) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

const titled = (title: string): string => (title === '' ? '' : ` title="${markup(title)}"`)

/** A cell as the reader sees it; sorting, comparing and the viewer of texts read the same words. */
function valueCell(value: Value | null | undefined, column: Column, best: boolean, title: string): string {
  if (!value) return `<td${column.unit === 'text' ? ' class="text"' : ''}>–`
  if (value.kind === 'text') return `<td class="text"${titled(title)}>${markup(value.value)}`
  const number = (x: number) => markup(formatNumber(x, column))
  const interval = 'low' in value ? ` <i>${number(value.low)}–${number(value.high)}</i>` : ''
  const shown = best ? `<b>${number(value.value)}</b>` : number(value.value)
  return `<td${titled(title)}>${shown}${interval}`
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
  const head = (text: string, more = '') =>
    `<th scope="col"${more}><button type="button">${markup(text)}</button></th>`
  const cells = columns.map(({ column, paper }) => {
    const unit = column.unit === 'percent' && !column.label.includes('%') ? ' %' : ''
    const group = column.group ? ` data-group="${markup(column.group)}"` : ''
    const better = column.better ? ` data-better="${markup(column.better)}"${group}` : ''
    const about = ` data-texts="${markup(column.texts ?? column.id)}"${titled(commonTitle(column, table.rows))}`
    const own = head(
      `${column.label}${unit}`,
      `${column.unit === 'text' ? ' class="text"' : ''}${better}${about}`,
    )
    return paper ? own + head('paper') : own
  })
  return `${groupHeads(columns)}<tr>${head(table.rowLabel ?? 'Method')}${cells.join('')}</tr>`
}

/** Columns of a table with their best values and common remarks. */
interface Shared {
  readonly columns: readonly Shown[]
  readonly best: ReadonlyMap<string, number | undefined>
  readonly titles: ReadonlyMap<string, string>
}

function tableRow(row: Row, { columns, best, titles }: Shared, families: Families) {
  const own = (column: Column) => {
    const value = row.cells[column.id]
    const isBest =
      families.isMethod(row.family) && value?.value !== undefined && value.value === best.get(column.id)
    const title = titleOf(value)
    return valueCell(value, column, isBest, title === titles.get(column.id) ? '' : title)
  }
  const paper = (column: Column) =>
    `<td class="paper">${markup(formatPaper(row.cells[column.id], column)) || '–'}`
  const cells = besides(columns, own, paper)
  const number = families.number(row.family)
  // end tags of cells and rows can be left out in HTML, and a page has tens of thousands
  const name = `<th scope="row" data-row="${markup(row.id)}">${markup(row.label)}`
  return `<tr${number === undefined ? '' : ` class="f-${number}"`}>${name}${cells.join('')}`
}

/** A sortable table with ours beside the paper's. `id` is safe already. */
export function tableToHtml(table: Table, id: string, families: TableOptions): string {
  const columns = shownColumns(table).sort(
    (a, b) => Number(b.column.first ?? false) - Number(a.column.first ?? false),
  )
  const each = <T>(of: (column: Column) => T) =>
    new Map(table.columns.map((column) => [column.id, of(column)]))
  const best = each((column) => bestOf(column, table.rows, families))
  const titles = each((column) => commonTitle(column, table.rows))
  const rows = table.rows.map((row) => tableRow(row, { columns, best, titles }, families))
  const cells = columns.reduce((sum, { paper }) => sum + (paper ? 2 : 1), 0)
  if (rows.length === 0) rows.push(`<tr><td colspan="${cells + 1}">No rows.</td></tr>`)
  const caption = table.caption ? `<figcaption>${markup(table.caption)}</figcaption>` : ''
  const { file, views = '' } = families
  const links =
    file === undefined
      ? ''
      : `<span class="file"><a href="${file}.csv">CSV</a> <a href="${file}.tex">TeX</a> <a href="${file}.json">JSON</a></span>`
  return `<figure class="card${views}" id="${id}">${links}<h3>${markup(table.title)}</h3>${caption}
<div class="frame"><div class="scroll" tabindex="0" role="region" aria-label="${markup(table.title)}"><table${density(cells)}>
<thead>${heads(table, columns)}</thead>
<tbody>${rows.join('')}</tbody></table></div></div></figure>`
}
