/**
 * CSV. Why not a library: csv-parse (1.6 MB) or papaparse (270 kB) would be a second dependency of everyone who installs the
 * package, for the sixty lines below and one dataset that also comes as parquet.
 */
import { checkLength, textPieces } from './bytes.ts'
import type { Row } from './row.ts'

/** The records of a CSV file, as `csvRecords`. */
export async function* csvFile(path: string): AsyncGenerator<Row> {
  for await (const { row } of csvRecords(path, textPieces(path))) yield row
}

/**
 * CSV by RFC 4180, streamed: a quoted field may contain commas, line ends and doubled quotes. The first record names the columns.
 * A record with a different number of fields, text after a closing quote and an unclosed quote are errors that give the line.
 */
export async function* csvRecords(
  path: string,
  pieces: AsyncIterable<string>,
  separator: ',' | '\t' = ',',
): AsyncGenerator<{ readonly row: Row; readonly line: number }> {
  let names: string[] | undefined
  for await (const { fields, line } of records(path, pieces, separator)) {
    if (names === undefined) {
      names = fields
      continue
    }
    if (fields.length === 1 && fields[0] === '') continue // an empty line
    if (fields.length !== names.length)
      throw new SyntaxError(`${path}, line ${line}: expected ${names.length} fields, found ${fields.length}`)
    yield { row: Object.fromEntries(names.map((name, i) => [name, fields[i]])), line }
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
  let field = ''
  let line = 1
  let began = 1
  const endField = () => {
    fields.push(field)
    field = ''
    state = 'start'
  }
  for await (const piece of pieces) {
    for (const c of piece) {
      if (c === '\n') line++
      if (state === 'quoted') {
        if (c === '"') state = 'quote'
        else field += c
      } else if (c === '"' && state === 'quote') {
        field += c
        state = 'quoted'
      } else if (c === '"' && state === 'start') {
        state = 'quoted'
      } else if (c === separator) {
        endField()
      } else if (c === '\n') {
        endField()
        yield { fields, line: began }
        fields = []
        began = line
      } else if (c !== '\r') {
        if (state === 'quote')
          throw new SyntaxError(`${path}, line ${line}: found '${c}' after a closing quote`)
        field += c
        state = 'bare'
      }
    }
    checkLength(`${path}, line ${began}`, 'field', field.length)
  }
  if (state === 'quoted')
    throw new SyntaxError(`${path}: the quote opened in the record of line ${began} is never closed`)
  if (field !== '' || fields.length > 0 || (state as State) === 'quote') {
    endField()
    yield { fields, line: began }
  }
}
