/**
 * Documents beside the reports: what tests found about the laws, the theorems and published code. They are Markdown that the tests
 * write; the page shows the part of Markdown that they use and takes everything else as text.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { anchor, escapeHtml, printable } from './escape.ts'

/** The documents that a page looks for in the folder of its reports, in its order. */
const names = [
  'reference-findings',
  'theorems',
  'mutants',
  'power',
  'tokens-needed',
  'recurring-contexts',
  'stretches',
  'hardening',
  'streaming',
  'generation',
] as const

/** Characters of a document that a page takes in, and of one that it shows whole where the file lies beside it. */
const MAX_DOCUMENT = 200_000
const MAX_WHOLE = 40_000

export interface Document {
  readonly name: string
  readonly text: string
}

/** The documents of a folder. */
export const readDocuments = (folder: string): Document[] =>
  names.flatMap((name) => {
    const file = join(folder, `${name}.md`)
    const stat = statSync(file, { throwIfNoEntry: false })
    return !stat?.isFile() || stat.size > MAX_DOCUMENT ? [] : [{ name, text: readFileSync(file, 'utf8') }]
  })

/** Only links to files beside the page; others are text. */
const link = (text: string, href: string): string =>
  /^[\w-]+\.(md|csv|json|svg)$/.test(href) ? `<a href="${href}">${text}</a>` : text

/** Code, bold, emphasis and links of a line; the text is escaped before anything is looked for. */
function inline(text: string): string {
  return escapeHtml(printable(text))
    .split(/(`[^`]+`)/)
    .map((part, i) =>
      i % 2 === 1
        ? `<code>${part.slice(1, -1)}</code>`
        : part
            .replace(/\\([\\|*_`<~$[\]])/g, '$1')
            .replace(/\[([^[\]]+)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => link(words, href))
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, '<em>$1</em>'),
    )
    .join('')
}

/** Cells of a line of a table; `\|` is no border. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim()))

function table(lines: readonly string[], title: string): string {
  const [head = '', align = '', ...rows] = lines
  const sides = align
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((mark) => (/^\s*:-+:\s*$/.test(mark) ? ' class="mid"' : /-:\s*$/.test(mark) ? '' : ' class="text"'))
  const row = (line: string, tag: 'td' | 'th') =>
    `<tr>${cellsOf(line)
      .map((cell, i) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}${sides[i] ?? ''}>${cell}</${tag}>`)
      .join('')}</tr>`
  return `<div class="frame"><div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(printable(title))}"><table class="dense">
<thead>${row(head, 'th')}</thead><tbody>
${rows.map((line) => row(line, 'td')).join('\n')}
</tbody></table></div></div>`
}

/** Joins lines; a pattern of blanks around line ends would take time quadratic in the blanks. */
const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line, i) => (i === 0 ? line.trimEnd() : line.trim()))
    .join(' ')

/** A run of lines of one kind as HTML. */
function block(lines: readonly string[], title: string): string {
  const [first = ''] = lines
  const heading = /^(#{1,6}) (.*)$/.exec(first)
  if (heading) return `<h4>${inline(heading[2]!)}</h4>${lines.length > 1 ? block(lines.slice(1), title) : ''}`
  if (first.startsWith('|') && lines.length > 1) return table(lines, title)
  if (/^- /.test(first)) {
    const items = lines
      .join('\n')
      .split(/\n?^- /m)
      .slice(1)
    return `<ul class="findings">${items.map((item) => `<li>${inline(oneLine(item))}</li>`).join('')}</ul>`
  }
  if (first.startsWith('```')) return `<pre>${escapeHtml(lines.slice(1, -1).map(printable).join('\n'))}</pre>`
  return `<p>${inline(lines.join(' '))}</p>`
}

/** A document, closed but for its title and first paragraph. */
export function documentToHtml({ name, text }: Document, linked: boolean): string {
  const blocks = text
    .split(/\r?\n\s*\r?\n/)
    .map((part) => part.split(/\r?\n/).filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
  const titled = /^# (.*)$/.exec(blocks[0]?.[0] ?? '')
  const title = titled ? titled[1]! : name
  const [lead, ...rest] = titled ? blocks.slice(1) : blocks
  const id = anchor(name)
  const file = linked ? `<a class="file" href="${id}.md">MD</a>` : ''
  return `<article class="card" id="${id}">${file}<h3>${inline(title)}</h3>
${lead ? block(lead, title) : ''}
${
  linked && text.length > MAX_WHOLE
    ? `<p><a href="${id}.md">All of it</a></p>`
    : rest.length > 0
      ? `<details><summary>Read on</summary>${rest.map((lines) => block(lines, title)).join('\n')}</details>`
      : ''
}</article>`
}
