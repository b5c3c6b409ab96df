/** Files of texts: which format a file has, and its entries one at a time. */

import { statSync } from 'node:fs'
import { oneOf } from '../../input.ts'
import { chunks, nameOf } from './chunks.ts'
import { csvRecords } from './csv.ts'
import { isParquet, type Piece, piecesOf, pieceText, resumed, textOf } from './decode.ts'
import type { Entry } from './entry.ts'
import { jsonParts } from './json-parts.ts'
import { checkLength, jsonLines, readLines } from './lines.ts'
import { parquetFile } from './parquet.ts'
import { eventLines, unpacked } from './served.ts'

/** `text`: all of the file is one text; `lines`: each line is one; `events`: streams of a server, lines `data: {...}`. */
export const formats = ['jsonl', 'json', 'csv', 'tsv', 'parquet', 'lines', 'events', 'text'] as const
type Format = (typeof formats)[number]

/** A file that was opened and looked at. */
export interface Source {
  readonly path: string
  readonly name: string
  readonly format: Format
  /** True where the file seems to be one text: plain text, or JSON that is not a list of texts. */
  readonly single: boolean
  /** Returns all of it as one string. Either this or `entries` can be called, once. */
  content(): Promise<string>
  /**
   * Yields the entries.
   * @param packed whether lists of integers may come as Int32Array, which JSON Lines are read into several times as fast
   */
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

/** Tells whether text begins with a line that is JSON; with `more`, another line must follow. */
function beginsWithLine(head: string, more: boolean): boolean {
  const text = head.trimStart()
  const end = text.indexOf('\n')
  if (end < 0) return !more && isJson(text)
  return isJson(text.slice(0, end)) && (!more || text.slice(end).trim() !== '')
}

function formatOf(path: string, head: string): Format {
  // servers may send comments and names of events before the first data
  if (/^(\s*(:|event:|id:|retry:)[^\n]*\n)*\s*data:\s*\{/.test(head)) return 'events'
  const unpacked = path.replace(/\.gz$/i, '')
  const known = byName.find(([suffix]) => suffix.test(unpacked))?.[1]
  if (known) return known
  if (!/^\s*[[{]/.test(head)) return 'text'
  if (/^\s*\[\s*[[{"]/.test(head)) return 'json'
  if (beginsWithLine(head, false)) return 'jsonl'
  return /^\s*(\{\s*"|\[\s*[[{"])/.test(head) ? 'json' : 'text'
}

/** Tells lists of texts, and records one after the other, from a single text. */
const isListOfTexts = (head: string): boolean =>
  /^\s*\[\s*[[{"]/.test(head) || (/^\s*\{/.test(head) && beginsWithLine(head, true))

/** Tells the answer of a server, which may hold several texts, from a single text. */
const isAnswer = (head: string): boolean => /^\s*\{/.test(head) && /"choices"\s*:\s*\[/.test(head)

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

/** Yields the first piece, which was read already, and then the rest. */
async function* withHead(head: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return(undefined)
  }
}

function parquetSource(path: string): Source {
  if (path === '-' || !statSync(path).isFile())
    throw new RangeError(`${nameOf(path)}: expected a parquet file by its name, found one in a pipe`)
  const content = (): Promise<string> =>
    Promise.reject(new RangeError(`${path}: expected text, found a parquet file`))
  return { path, name: path, format: 'parquet', single: false, content, entries: () => parquetFile(path) }
}

/**
 * Opens a file of texts, or standard input for `-`. The format follows from the name, and where that says nothing from the content;
 * gzip is unpacked.
 * @param given the format, where the user names it
 * @param plain the format of plain text: all of it one text, or each line
 */
export async function openSource(
  path: string,
  given?: string,
  plain: 'text' | 'lines' = 'text',
): Promise<Source> {
  const name = nameOf(path)
  const asked = given === undefined ? undefined : oneOf('--format', given, formats)
  const bytes = chunks(path)
  const begun = bytes.next()
  const start = begun.done ? new Uint8Array() : begun.value
  if (asked === 'parquet' || (asked === undefined && isParquet(start))) {
    bytes.return(undefined)
    return parquetSource(path)
  }
  const decoded = piecesOf(name, resumed(start, bytes))
  const next = await decoded.next()
  const first = next.done ? '' : next.value
  const head = pieceText(first)
  const bytesOrText = withHead(first, decoded)
  const pieces = textOf(bytesOrText)
  const found = asked ?? formatOf(path, head)
  const format = asked === undefined && found === 'text' ? plain : found
  if (format === 'parquet') throw new RangeError(`${name}: expected a parquet file, found other content`)
  const open: Record<Exclude<Format, 'parquet'>, (packed?: boolean) => AsyncGenerator<Entry>> = {
    jsonl: (packed) => unpacked(jsonLines(name, bytesOrText, packed)),
    json: () => unpacked(jsonParts(name, pieces, /^\s*\[/.test(head))),
    csv: () => csvRecords(name, pieces, ','),
    tsv: () => csvRecords(name, pieces, '\t'),
    lines: () => readLines(name, bytesOrText, (line) => line),
    events: () => eventLines(readLines(name, bytesOrText, (line) => line)),
    async *text() {
      yield { where: name, line: 1, value: await joined(name, pieces) }
    },
  }
  return {
    path,
    name,
    format,
    single: format === 'text' || (format === 'json' && !isListOfTexts(head) && !isAnswer(head)),
    content: () => joined(name, pieces),
    entries: open[format],
  }
}
