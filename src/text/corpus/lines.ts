/** Texts line by line: JSON Lines and plain lines. */
import { type Piece, pieceText } from './decode.ts'
import type { Entry } from './entry.ts'
import { PackedLists } from './packed-lists.ts'

/**
 * The longest line, CSV field or JSON entry that is read, in UTF-16 units: far above any text of a dataset, and below the longest string
 * that JavaScript has.
 */
const MAX_LENGTH = 2 ** 28

/** Refuses a line (or field, or entry) of more than `limit` characters before it fills the memory. */
export function checkLength(where: string, what: string, length: number, limit = MAX_LENGTH): void {
  if (length > limit)
    throw new RangeError(`${where}: expected a ${what} of at most ${limit} characters, found a longer one`)
}

const lineEnd = (piece: Piece, from: number): number =>
  typeof piece === 'string' ? piece.indexOf('\n', from) : piece.indexOf(0x0a, from)

const part = (piece: Piece, start: number, end?: number): string =>
  typeof piece === 'string' ? piece.slice(start, end) : pieceText(piece.subarray(start, end))

interface LineOptions {
  /** Reads a line that lies in one piece from its bytes; undefined leaves it to `read`. */
  readonly readBytes?: ((piece: Buffer, start: number, end: number) => unknown) | undefined
  /** The longest line, in UTF-16 units. */
  readonly limit?: number
}

/** Yields the values of lines, without empty ones. Takes time linear in the size of the text, however long the lines are. */
export async function* readLines(
  name: string,
  pieces: AsyncIterable<Piece>,
  read: (line: string, where: string) => unknown,
  { readBytes, limit }: LineOptions = {},
): AsyncGenerator<Entry> {
  // parts of a line are joined once, when it ends: joining on arrival would copy the line for each of them
  let parts: string[] = []
  let length = 0
  let number = 0
  const add = (text: string): void => {
    parts.push(text)
    length += text.length
    checkLength(`${name}, line ${number + 1}`, 'line', length, limit)
  }
  const end = (value: unknown): Entry => ({ where: `${name}, line ${++number}`, line: number, value })
  const endOfParts = (): Entry | undefined => {
    const joined = parts.join('')
    const line = joined.endsWith('\r') ? joined.slice(0, -1) : joined
    parts = []
    length = 0
    if (line.trim() !== '') return end(read(line, `${name}, line ${number + 1}`))
    number++
    return undefined
  }
  for await (const piece of pieces) {
    let start = 0
    for (let at = lineEnd(piece, 0); at >= 0; at = lineEnd(piece, start)) {
      const isWhole = length === 0 && typeof piece !== 'string'
      const value = isWhole ? readBytes?.(piece, start, at) : undefined
      if (value === undefined) add(part(piece, start, at))
      const entry = value === undefined ? endOfParts() : end(value)
      start = at + 1
      if (entry) yield entry
    }
    add(part(piece, start))
  }
  const last = length > 0 ? endOfParts() : undefined
  if (last) yield last
}

/** Parses JSON, with an error that says where it stands. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${where}: not JSON: ${(error as Error).message}`)
  }
}

/**
 * Yields the values of JSON Lines.
 * @param packed whether lists of integers may come as Int32Array, in lines that lie in one piece
 */
export function jsonLines(name: string, pieces: AsyncIterable<Piece>, packed = false): AsyncGenerator<Entry> {
  const lists = packed ? new PackedLists() : undefined
  return readLines(name, pieces, parseJson, {
    readBytes: lists && ((piece, start, end) => lists.valueOf(piece, start, end)),
  })
}
