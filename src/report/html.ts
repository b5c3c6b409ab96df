/** Text and tables as HTML. Tables are complete without a script: sorting only reorders what is there. */
import { formatNumber, formatPaper, hasPaper } from './format.ts'
import type { Column, Row, Table, Value } from './report.ts'

/** What HTML reads as markup. */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c]!)

/** A class name for any family. */
export const familyClass = (family: string): string => family.replace(/[^A-Za-z0-9-]/g, '-')

function valueCell(value: Value | null | undefined, column: Column, best: boolean): string {
  if (!value) return '<td data-sort="">&ndash;</td>'
  if (value.kind === 'text')
    return `<td class="text" data-sort="${escapeHtml(value.value)}">${escapeHtml(value.value)}</td>`
  const number = (x: number) => formatNumber(x, column)
  const interval = 'low' in value ? ` <small>${number(value.low)}&ndash;${number(value.high)}</small>` : ''
  const n = 'n' in value ? `n = ${value.n}` : value.kind
  const title = [n, ...(value.note ? [value.note] : [])].join('; ')
  return `<td data-sort="${value.value}" title="${escapeHtml(title)}"${best ? ' class="best"' : ''}><b>${number(value.value)}</b>${interval}</td>`
}

function bestOf(column: Column, rows: readonly Row[]): number | undefined {
  if (!column.better) return undefined
  const values = rows
    .filter((row) => row.family !== 'unwatermarked')
    .map((row) => row.cells[column.id])
    .flatMap((value) => (value && value.kind !== 'text' ? [value.value] : []))
  if (values.length === 0) return undefined
  return column.better === 'higher' ? Math.max(...values) : Math.min(...values)
}

function heads(table: Table, columns: readonly { column: Column; paper: boolean }[]): string {
  const groups: { name: string; span: number }[] = []
  for (const { column, paper } of columns) {
    const last = groups.at(-1)
    const span = paper ? 2 : 1
    if (last && last.name === (column.group ?? '')) last.span += span
    else groups.push({ name: column.group ?? '', span })
  }
  const grouped = groups.some((group) => group.name !== '')
    ? `<tr><th></th>${groups.map(({ name, span }) => `<th class="group" colspan="${span}" scope="colgroup">${escapeHtml(name)}</th>`).join('')}</tr>`
    : ''
  let at = 0
  const head = (label: string, first: string, kind = '') =>
    `<th scope="col" data-column="${at++}" data-first="${first}"${kind}><button type="button">${escapeHtml(label)}</button></th>`
  const name = head(table.rowLabel ?? 'Method', 'ascending')
  const cells = columns.map(({ column, paper }) => {
    const first = column.better === 'lower' || column.unit === 'text' ? 'ascending' : 'descending'
    const label = `${column.label}${column.unit === 'percent' ? ' %' : ''}`
    const own = head(label, first, column.unit === 'text' ? ' class="text"' : '')
    return paper ? own + head('paper', first) : own
  })
  return `${grouped}<tr>${name}${cells.join('')}</tr>`
}

/** A sortable table with ours beside the paper's. */
export function tableToHtml(table: Table, id = table.id): string {
  const columns = table.columns.map((column) => ({ column, paper: hasPaper(column, table.rows) }))
  const best = new Map(table.columns.map((column) => [column.id, bestOf(column, table.rows)]))
  const body = table.rows.map((row) => {
    const cells = columns.map(({ column, paper }) => {
      const value = row.cells[column.id]
      const isBest = value !== null && value !== undefined && value.value === best.get(column.id)
      const own = valueCell(value, column, isBest)
      const beside = `<td class="paper" data-sort="${value?.paper ?? ''}">${formatPaper(value, column) || '&ndash;'}</td>`
      return paper ? own + beside : own
    })
    const family = escapeHtml(row.family)
    const name = `<th scope="row" data-sort="${escapeHtml(row.label)}"><i class="swatch f-${familyClass(row.family)}"></i>${escapeHtml(row.label)}</th>`
    return `<tr data-family="${family}">${name}${cells.join('')}</tr>`
  })
  const caption = table.caption ? `<figcaption>${escapeHtml(table.caption)}</figcaption>` : ''
  return `<figure class="card" id="${escapeHtml(id)}"><h3>${escapeHtml(table.title)}</h3>${caption}<div class="scroll"><table><thead>${heads(table, columns)}</thead><tbody>${body.join('\n')}</tbody></table></div></figure>`
}
