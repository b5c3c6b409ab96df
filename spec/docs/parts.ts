/** Parts of Markdown files that are written by code: between `<!-- NAME:start -->` and `<!-- NAME:end -->`. */
export function fill(markdown: string, parts: Record<string, string>): string {
  let filled = markdown
  for (const [name, text] of Object.entries(parts)) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
    const [from, to] = [filled.indexOf(start), filled.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`expected ${start} and ${end}`)
    filled = `${filled.slice(0, from + start.length)}\n${text.trim()}\n${filled.slice(to)}`
  }
  return filled
}

/** A Markdown table; every row is as wide as the header. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  for (const row of rows)
    if (row.length !== head.length)
      throw new Error(
        `expected ${head.length} cells, as in "${head.join(' | ')}", found ${row.length}: ${row}`,
      )
  return [head, head.map(() => '---'), ...rows]
    .map(
      (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`,
    )
    .join('\n')
}
