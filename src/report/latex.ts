/** A report's tables as LaTeX with booktabs, ready for `\input`. */
import { anchor, printable } from './escape.ts'
import { formatNumber, formatPaper, hasPaper, heading } from './format.ts'
import type { Column, Report, Table, Value } from './report.ts'

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

function tableToLatex(table: Table): string {
  const columns = table.columns.map((column) => ({ column, paper: hasPaper(column, table.rows) }))
  const letters = columns
    .map(({ column, paper }) => `${column.unit === 'text' ? 'l' : 'r'}${paper ? 'r' : ''}`)
    .join('')
  const head = columns.flatMap(({ column, paper }) => [
    escapeLatex(heading(column)),
    ...(paper ? ['paper'] : []),
  ])
  const rows = table.rows.map((row) => {
    const cells = columns.flatMap(({ column, paper }) => {
      const v = row.cells[column.id]
      return paper ? [value(v, column), formatPaper(v, column) || '--'] : [value(v, column)]
    })
    return `${[firstCell(row.label), ...cells].join(' & ')} \\\\`
  })
  return [
    '\\begin{table}[t]',
    '\\centering',
    `\\caption{${escapeLatex(`${table.title}. ${table.caption ?? ''}`.trim())}}`,
    `\\label{tab:${anchor(table.id)}}`,
    `\\begin{tabular}{l${letters}}`,
    '\\toprule',
    `${[firstCell(table.rowLabel ?? 'Method'), ...head].join(' & ')} \\\\`,
    '\\midrule',
    ...rows,
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
  ].join('\n')
}

export const toLatex = (report: Report): string =>
  `% ${printable(report.title)}; needs \\usepackage{booktabs}\n${report.tables.map(tableToLatex).join('\n\n')}\n`
