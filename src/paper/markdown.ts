/** Markdown tables, for the audit's report. */

/** A table; the first column is left-aligned, the others as `align` says. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'right',
): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  const rule = header.map((_, i) => (i === 0 || align === 'left' ? '---' : '---:'))
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}
