import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/**
 * The longest line, CSV field or JSON document that is read, in UTF-16 units: far above any text of a dataset, and below the
 * longest string that JavaScript has.
 */
const MAX_LENGTH = 2 ** 28

/** Refuses a line (or field, or document) of more than `limit` characters before it fills the memory. */
export function checkLength(where: string, what: string, length: number, limit = MAX_LENGTH): void {
  if (length > limit)
    throw new RangeError(`${where}: expected a ${what} of at most ${limit} characters, found a longer one`)
}

/**
 * The text of a file in pieces, decompressed if its name ends in `.gz`. Only the current piece is held in memory; leaving the loop
 * early closes the file. Invalid UTF-8 and damaged archives are errors that name the file.
 */
export async function* textPieces(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const source = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  if (source !== file) file.once('error', (error) => source.destroy(error))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of source) yield decoder.decode(bytes as Uint8Array, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  } finally {
    source.destroy()
    file.destroy()
  }
}

/** A line of a file, counted from 1, without its line end. */
export interface Line {
  readonly line: string
  readonly number: number
}

/** The lines of a file, as `linesOf`. */
export const textLines = (path: string, limit = MAX_LENGTH): AsyncGenerator<Line> =>
  linesOf(path, textPieces(path), limit)

/** The lines of some text. Time is linear in its size, however long the lines are. */
export async function* linesOf(
  name: string,
  pieces: AsyncIterable<string>,
  limit = MAX_LENGTH,
): AsyncGenerator<Line> {
  // pieces of a line are joined once, when it ends: joining on arrival would copy the line for each of them
  let parts: string[] = []
  let length = 0
  let number = 0
  const add = (part: string): void => {
    parts.push(part)
    length += part.length
    checkLength(`${name}, line ${number + 1}`, 'line', length, limit)
  }
  const end = (): Line => {
    const line = parts.join('')
    parts = []
    length = 0
    return { line: line.endsWith('\r') ? line.slice(0, -1) : line, number: ++number }
  }
  for await (const piece of pieces) {
    let start = 0
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', start)) {
      add(piece.slice(start, at))
      yield end()
      start = at + 1
    }
    add(piece.slice(start))
  }
  if (length > 0) yield end()
}
