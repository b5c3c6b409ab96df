/** The entries of JSON Lines. */
import { checkLength } from '../datasets/bytes.ts'
import { type Piece, pieceText } from './decode.ts'
import type { Entry } from './entry.ts'
import { PackedLists } from './packed-lists.ts'

export function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${where}: not JSON: ${(error as Error).message}`)
  }
}

const lineEnd = (piece: Piece, from: number): number =>
  typeof piece === 'string' ? piece.indexOf('\n', from) : piece.indexOf(0x0a, from)

const part = (piece: Piece, start: number, end?: number): string =>
  typeof piece === 'string' ? piece.slice(start, end) : pieceText(piece.subarray(start, end))

/**
 * The values of lines; empty lines are left out. Time is linear in the size of the text, however long the lines are.
 * @param packed whether lists of whole numbers may come as Int32Array, in lines that lie in one piece
 */
export async function* jsonLines(
  name: string,
  pieces: AsyncIterable<Piece>,
  packed = false,
): AsyncGenerator<Entry> {
  const lists = packed ? new PackedLists() : undefined
  // parts of a line are joined once, when it ends
  let parts: string[] = []
  let length = 0
  let number = 0
  const add = (text: string): void => {
    parts.push(text)
    length += text.length
    checkLength(`${name}, line ${number + 1}`, 'line', length)
  }
  const end = (value: unknown): Entry => ({ where: `${name}, line ${++number}`, line: number, value })
  const endOfParts = (): Entry | undefined => {
    const joined = parts.join('')
    const line = joined.endsWith('\r') ? joined.slice(0, -1) : joined
    parts = []
    length = 0
    if (line.trim() !== '') return end(parsed(line, `${name}, line ${number + 1}`))
    number++
    return undefined
  }
  for await (const piece of pieces) {
    let start = 0
    for (let at = lineEnd(piece, 0); at >= 0; at = lineEnd(piece, start)) {
      const isWhole = length === 0 && typeof piece !== 'string'
      const value = isWhole ? lists?.valueOf(piece, start, at) : undefined
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
