/**
 * A report as CSV (RFC 4180): one line per table, row and column, with everything known about the number. Written by hand: all
 * there is to it is when to quote a field, and what a spreadsheet would take for a formula.
 */
import { printable } from './escape.ts'
import type { Report } from './report.ts'

const quote = (field: string): string => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** Text that a spreadsheet shows and does not evaluate: an apostrophe keeps `=1+1` from being a formula. */
const defused = (text: string): string => {
  const clean = printable(text)
  return /^\s*[=+\-@]./u.test(clean) ? `'${clean}` : clean
}

/** A field of CSV. */
export const csvField = (field: string | number | boolean): string =>
  quote(typeof field === 'string' ? defused(field) : String(field))

export const csvColumns = [
  'table',
  'method',
  'label',
  'column',
  'unit',
  'kind',
  'value',
  'low',
  'high',
  'n',
  'paper',
] as const

/** Long form: easy to read with any statistics package. Proportions are fractions, not percents. */
export function toCsv(report: Report): string {
  const lines = report.tables.flatMap((table) =>
    table.rows.flatMap((row) =>
      table.columns.flatMap((column) => {
        const value = row.cells[column.id]
        if (!value) return []
        const interval = 'low' in value ? [value.low, value.high, value.n] : ['', '', '']
        const fields = [
          table.id,
          row.id,
          row.label,
          column.id,
          column.unit,
          value.kind,
          value.value,
          ...interval,
          value.paper ?? '',
        ]
        return [fields.map(csvField).join(',')]
      }),
    ),
  )
  return `${[csvColumns.join(','), ...lines].join('\r\n')}\r\n`
}
