import { show } from '../input.ts'
import { checkLength, textLines, textPieces } from './bytes.ts'
import type { Row } from './row.ts'

function record(value: unknown, where: string): Row {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TypeError(`${where}: expected a JSON object, found ${show(value)}`)
  return value as Row
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${where}: ${(error as Error).message}`, { cause: error })
  }
}

/** JSON Lines, one object per line of at most `MAX_LENGTH` characters; empty lines are skipped. */
export async function* jsonLines(path: string): AsyncGenerator<Row> {
  for await (const { line, number } of textLines(path)) {
    if (line.trim() === '') continue
    const where = `${path}, line ${number}`
    yield record(parse(line, where), where)
  }
}

/** A `.json` file: an array of objects if it begins with `[`, JSON Lines otherwise (as C4's `.json.gz` are). */
export async function* jsonFile(path: string): AsyncGenerator<Row> {
  let start = ''
  for await (const piece of textPieces(path)) {
    start += piece.trimStart()
    if (start !== '') break
  }
  if (!start.startsWith('[')) {
    yield* jsonLines(path)
    return
  }
  let text = ''
  for await (const piece of textPieces(path)) {
    text += piece
    checkLength(path, 'JSON document', text.length)
  }
  const values = parse(text, path) as unknown[]
  for (const [i, value] of values.entries()) yield record(value, `${path}, entry ${i}`)
}
