import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

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

/** The lines of a file, numbered from 1, line ends removed. */
export async function* textLines(path: string): AsyncGenerator<{ line: string; number: number }> {
  let rest = ''
  let number = 0
  for await (const piece of textPieces(path)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield { line: line.endsWith('\r') ? line.slice(0, -1) : line, number: ++number }
  }
  if (rest !== '') yield { line: rest, number: ++number }
}
