/**
 * CSV. Why not a library: csv-parse (1.6 MB) or papaparse (270 kB) would be a second dependency of every installation of the
 * package, for the sixty lines below and one dataset that also comes as parquet.
 */
import type { Entry } from './entry.ts'
import { checkLength } from './lines.ts'

/**
 * Yields the records of CSV by RFC 4180, streamed: a quoted field may contain commas, line ends and doubled quotes. The first record names
 * the columns.
 * A record with a different number of fields, text after a closing quote and an unclosed quote are errors that give the line.
 */
export async function* csvRecords(
  path: string,
  pieces: AsyncIterable<string>,
  separator: ',' | '\t',
): AsyncGenerator<Entry> {
  let names: string[] | undefined
  for await (const { fields, line } of records(path, pieces, separator)) {
    if (names === undefined) {
      names = fields
      continue
    }
    if (fields.length === 1 && fields[0] === '') continue // an empty line
    const where = `${path}, line ${line}`
    if (fields.length !== names.length)
      throw new SyntaxError(`${where}: expected ${names.length} fields, found ${fields.length}`)
    yield { where, line, value: Object.fromEntries(names.map((name, i) => [name, fields[i]])) }
  }
}

/** Reader state: at the start of a field, inside a bare or quoted one, or after a quote inside a quoted one. */
type State = 'start' | 'bare' | 'quoted' | 'quote'

async function* records(
  path: string,
  pieces: AsyncIterable<string>,
  separator: string,
): AsyncGenerator<{ fields: string[]; line: number }> {
  let state: State = 'start'
  let fields: string[] = []
  // parts of a field are joined once, when it ends: adding characters one by one takes 32 bytes for each
  let parts: string[] = []
  let length = 0
  let line = 1
  let began = 1
  const special = new RegExp(`["\\r\\n${separator}]`, 'g')
  const keep = (text: string): void => {
    parts.push(text)
    length += text.length
    checkLength(`${path}, line ${began}`, 'field', length)
  }
  const endField = () => {
    fields.push(parts.join(''))
    parts = []
    length = 0
    state = 'start'
  }
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (state === 'quoted') {
        const end = piece.indexOf('"', at)
        const text = piece.slice(at, end < 0 ? undefined : end)
        line += text.split('\n').length - 1
        keep(text)
        if (end < 0) break
        state = 'quote'
        at = end + 1
        continue
      }
      special.lastIndex = at
      const end = special.exec(piece)?.index ?? piece.length
      if (end > at) {
        if (state === 'quote')
          throw new SyntaxError(
            `${path}, line ${line}: found '${String.fromCodePoint(piece.codePointAt(at)!)}' after a closing quote`,
          )
        keep(piece.slice(at, end))
        state = 'bare'
      }
      at = end + 1
      const c = piece[end]
      if (c === '\n') line++
      if (c === '"' && state === 'bare') keep(c)
      else if (c === '"') {
        if (state === 'quote') keep(c)
        state = 'quoted'
      } else if (c === separator) {
        endField()
      } else if (c === '\n') {
        endField()
        yield { fields, line: began }
        fields = []
        began = line
      }
    }
  }
  if (state === 'quoted')
    throw new SyntaxError(`${path}: the quote opened in the record of line ${began} is never closed`)
  if (length > 0 || fields.length > 0 || (state as State) === 'quote') {
    endField()
    yield { fields, line: began }
  }
}
