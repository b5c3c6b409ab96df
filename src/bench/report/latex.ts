/** A report's tables as LaTeX with booktabs, ready for `\input`. */
import { anchor, printable } from './escape.ts'
import { besides, formatNumber, formatPaper, heading, type Shown, shownColumns } from './format.ts'
import type { Column, Report, Row, Table, Value } from './report.ts'

const special: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  δ: '$\\delta$',
  α: '$\\alpha$',
  γ: '$\\gamma$',
  Δ: '$\\Delta$',
  ρ: '$\\rho$',
  '≤': '$\\le$',
  '≥': '$\\ge$',
  '∞': '$\\infty$',
  '–': '--',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '\ufffd': '?',
}

/** Text with everything that LaTeX would read as a command made harmless. */
export const escapeLatex = (text: string): string =>
  printable(text).replace(/[\\~^δαγΔρ≤≥∞–<>|\ufffd]|[&%$#_{}]/gu, (c) => special[c] ?? `\\${c}`)

/** The first cell of a row: a bracket or an asterisk there would belong to the line or rule before it. */
const firstCell = (text: string): string => escapeLatex(text).replace(/^\s*(?=[[*])/, '{}')

function value(v: Value | null | undefined, column: Column): string {
  if (!v) return '--'
  if (v.kind === 'text') return escapeLatex(v.value)
  const number = (x: number) =>
    formatNumber(x, column)
      .replace(/e(-?\d+)$/, '\\times 10^{$1}')
      .replace(/^(.*\\times.*)$/, '$$$1$$')
  if (!('low' in v)) return number(v.value)
  return `${number(v.value)} {\\scriptsize [${number(v.low)}, ${number(v.high)}]}`
}

/** Columns beside the first that a table has; wider ones go on in another table. */
const MAX_COLUMNS = 8

/** Characters of a text that stands in one line; longer ones are broken. */
const MAX_LINE = 48

const isLong = (text: string): boolean => text.length > MAX_LINE

/** The letters of a column: numbers to the right, long texts in lines of a fixed width. */
function setting({ column, paper }: Shown, rows: readonly Row[]): string {
  const beside = paper ? 'r' : ''
  if (column.unit !== 'text') return `r${beside}`
  const texts = rows.map((row) => row.cells[column.id]?.value)
  return texts.some((text) => typeof text === 'string' && isLong(text)) ? `p{6cm}${beside}` : `l${beside}`
}

/** Columns in runs that fit a page. */
function runs(columns: readonly Shown[]): Shown[][] {
  const lists: Shown[][] = [[]]
  let wide = 0
  for (const shown of columns) {
    wide += shown.paper ? 2 : 1
    if (wide > MAX_COLUMNS && lists.at(-1)!.length > 0) {
      lists.push([])
      wide = shown.paper ? 2 : 1
    }
    lists.at(-1)!.push(shown)
  }
  return lists
}

/** A table that is never wider than its column or page: larger ones are scaled down. */
function tabular(table: Table, columns: readonly Shown[]): string[] {
  const first = table.rows.some(({ label }) => isLong(label)) ? 'p{8cm}' : 'l'
  const head = besides(
    columns,
    (column) => escapeLatex(heading(column)),
    () => 'paper',
  )
  const rows = table.rows.map(({ label, cells }) => {
    const values = besides(
      columns,
      (column) => value(cells[column.id], column),
      (column) => formatPaper(cells[column.id], column) || '--',
    )
    return `${[firstCell(label), ...values].join(' & ')} \\\\`
  })
  return [
    '\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{',
    `\\begin{tabular}{${first}${columns.map((shown) => setting(shown, table.rows)).join('')}}`,
    '\\toprule',
    `${[firstCell(table.rowLabel ?? 'Method'), ...head].join(' & ')} \\\\`,
    '\\midrule',
    ...rows,
    '\\bottomrule',
    '\\end{tabular}}',
  ]
}

function tableToLatex(table: Table): string {
  const parts = runs(shownColumns(table))
  return parts
    .map((columns, i) => {
      const part = parts.length > 1 ? ` (${i + 1} of ${parts.length})` : ''
      const title = `${table.title}${part}. ${i === 0 ? (table.caption ?? '') : ''}`.trim()
      const kind = columns.length > 3 ? 'table*' : 'table'
      return [
        `\\begin{${kind}}[t]`,
        '\\centering',
        `\\caption{${escapeLatex(title)}}`,
        `\\label{tab:${anchor(table.id)}${i === 0 ? '' : `-${i + 1}`}}`,
        ...tabular(table, columns),
        `\\end{${kind}}`,
      ].join('\n')
    })
    .join('\n\n')
}

export const toLatex = (report: Report): string =>
  `% ${printable(report.title)}; needs \\usepackage{booktabs,graphicx}\n${report.tables.map(tableToLatex).join('\n\n')}\n`
