/** Files of texts: which format a file has, and its entries one at a time. */
import { checkLength, linesOf } from '../datasets/bytes.ts'
import { csvRecords } from '../datasets/csv.ts'
import { parquetFile } from '../datasets/parquet.ts'
import { oneOf } from '../input.ts'
import { chunks, nameOf } from './chunks.ts'
import { isParquet, type Piece, piecesOf, pieceText, textOf } from './decode.ts'
import type { Entry } from './entry.ts'
import { jsonLines, parsed } from './json-lines.ts'
import { jsonParts } from './json-values.ts'

/** `text`: all of the file is one text; `lines`: each line is one. */
export const formats = ['jsonl', 'json', 'csv', 'tsv', 'parquet', 'lines', 'text'] as const
type Format = (typeof formats)[number]

/** A file that was opened and looked at. */
export interface Source {
  readonly path: string
  readonly name: string
  readonly format: Format
  /** Whether the file seems to be one text: plain text, or JSON that is no list of texts. */
  readonly single: boolean
  /** All of it as one string. Either this or `entries` can be called, once. */
  content(): Promise<string>
  /** @param packed whether lists of whole numbers may come as Int32Array, which JSON Lines are read into several times as fast */
  entries(packed?: boolean): AsyncGenerator<Entry>
}

const byName: readonly (readonly [suffix: RegExp, format: Format])[] = [
  [/\.(jsonl|ndjson)$/i, 'jsonl'],
  [/\.json$/i, 'json'],
  [/\.csv$/i, 'csv'],
  [/\.tsv$/i, 'tsv'],
  [/\.parquet$/i, 'parquet'],
  [/\.(txt|text|md)$/i, 'text'],
]

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Whether text begins with a line that is JSON; `more`: and another line follows. */
function beginsWithLine(head: string, more: boolean): boolean {
  const text = head.trimStart()
  const end = text.indexOf('\n')
  if (end < 0) return !more && isJson(text)
  return isJson(text.slice(0, end)) && (!more || text.slice(end).trim() !== '')
}

function formatOf(path: string, head: string): Format {
  const plain = path.replace(/\.gz$/i, '')
  const known = byName.find(([suffix]) => suffix.test(plain))?.[1]
  if (known) return known
  if (!/^\s*[[{]/.test(head)) return 'text'
  if (beginsWithLine(head, false)) return 'jsonl'
  return /^\s*(\{\s*"|\[\s*[[{"])/.test(head) ? 'json' : 'text'
}

/** A list of texts, or records one after the other: anything else is one text. */
const isListOfTexts = (head: string): boolean =>
  /^\s*\[\s*[[{"]/.test(head) || (/^\s*\{/.test(head) && beginsWithLine(head, true))

async function* jsonEntries(
  name: string,
  pieces: AsyncIterable<string>,
  list: boolean,
): AsyncGenerator<Entry> {
  for await (const { text, number } of jsonParts(name, pieces, list)) {
    const where = `${name}, entry ${number}`
    yield { where, line: number, value: parsed(text, where) }
  }
}

async function* records(
  name: string,
  pieces: AsyncIterable<string>,
  separator: ',' | '\t',
): AsyncGenerator<Entry> {
  for await (const { row, line } of csvRecords(name, pieces, separator))
    yield { where: `${name}, line ${line}`, line, value: row }
}

async function* parquetRows(path: string): AsyncGenerator<Entry> {
  let line = 0
  for await (const value of parquetFile(path)) yield { where: `${path}, row ${++line}`, line, value }
}

async function* lines(name: string, pieces: AsyncIterable<string>): AsyncGenerator<Entry> {
  for await (const { line, number } of linesOf(name, pieces))
    if (line.trim() !== '') yield { where: `${name}, line ${number}`, line: number, value: line }
}

async function joined(name: string, pieces: AsyncIterable<string>): Promise<string> {
  const parts: string[] = []
  let length = 0
  for await (const piece of pieces) {
    parts.push(piece)
    length += piece.length
    checkLength(name, 'text', length)
  }
  return parts.join('')
}

/** The pieces with the first of them once more. */
async function* withHead(head: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return(undefined)
  }
}

function parquetSource(path: string): Source {
  if (path === '-') throw new RangeError('standard input: a parquet file must be given by its name')
  const content = (): Promise<string> =>
    Promise.reject(new RangeError(`${path}: expected text, found a parquet file`))
  return { path, name: path, format: 'parquet', single: false, content, entries: () => parquetRows(path) }
}

/**
 * Opens a file of texts, or standard input for `-`. The format follows from the name, and where that says nothing from the content;
 * gzip is unpacked.
 * @param given the format, where the user names it
 */
export async function openSource(path: string, given?: string): Promise<Source> {
  const name = nameOf(path)
  const asked = given === undefined ? undefined : oneOf('--format', given, formats)
  const bytes = chunks(path)
  const begun = bytes.next()
  const start = begun.done ? new Uint8Array() : begun.value
  if (asked === 'parquet' || (asked === undefined && isParquet(start))) {
    bytes.return(undefined)
    return parquetSource(path)
  }
  const again = (function* () {
    try {
      yield start
      yield* bytes
    } finally {
      bytes.return(undefined)
    }
  })()
  const decoded = piecesOf(name, again)
  const next = await decoded.next()
  const first = next.done ? '' : next.value
  const head = pieceText(first)
  const bytesOrText = withHead(first, decoded)
  const pieces = textOf(bytesOrText)
  const format = asked ?? formatOf(path, head)
  if (format === 'parquet') throw new RangeError(`${name}: expected a parquet file, found other content`)
  const open: Record<Exclude<Format, 'parquet'>, (packed?: boolean) => AsyncGenerator<Entry>> = {
    jsonl: (packed) => jsonLines(name, bytesOrText, packed),
    json: () => jsonEntries(name, pieces, /^\s*\[/.test(head)),
    csv: () => records(name, pieces, ','),
    tsv: () => records(name, pieces, '\t'),
    lines: () => lines(name, pieces),
    async *text() {
      yield { where: name, line: 1, value: await joined(name, pieces) }
    },
  }
  return {
    path,
    name,
    format,
    single: format === 'text' || (format === 'json' && !isListOfTexts(head)),
    content: () => joined(name, pieces),
    entries: open[format],
  }
}
