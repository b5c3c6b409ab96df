/** Bytes of files and of standard input, a piece at a time. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes read at once. */
const CHUNK = 2 ** 18

/** Returns the name of an input: its path, or standard input for `-`. */
export const nameOf = (path: string): string => (path === '-' ? 'standard input' : path)

function openFile(path: string): number {
  if (path === '-') return 0
  try {
    return openSync(path, 'r')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new RangeError(`${path}: ${code === 'ENOENT' ? 'no such file' : message.split(',')[0]}`)
  }
}

/** Returns the number of bytes read, 0 at the end. A pipe or terminal that has nothing yet is asked again soon. */
function readSome(name: string, file: number, chunk: Uint8Array): number {
  for (;;) {
    try {
      return readSync(file, chunk)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      if (code === 'EISDIR') throw new RangeError(`${name}: is a folder`)
      if (code !== 'EAGAIN') throw new RangeError(`${name}: ${message.split(',')[0]}`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** Yields the bytes of a file, or of standard input for `-`. Reads no further than asked; leaving the loop early closes the file. */
export function* chunks(path: string): Generator<Uint8Array> {
  const file = openFile(path)
  const name = nameOf(path)
  try {
    if (file !== 0 && fstatSync(file).isDirectory()) throw new RangeError(`${name}: is a folder`)
    for (;;) {
      const chunk = new Uint8Array(CHUNK)
      const count = readSome(name, file, chunk)
      if (count === 0) return
      yield count === CHUNK ? chunk : chunk.subarray(0, count)
    }
  } finally {
    if (file !== 0) closeSync(file)
  }
}

/** The longest line, in bytes. */
const MAX_LINE = 2 ** 28

/** Yields the lines of a file of any size, as bytes; the last one may lack its line end. */
export function* linesIn(path: string): Generator<{ readonly line: Buffer; readonly complete: boolean }> {
  let parts: Uint8Array[] = []
  let size = 0
  for (const chunk of chunks(path)) {
    let start = 0
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, start)) {
      yield { line: Buffer.concat([...parts, chunk.subarray(start, at)]), complete: true }
      parts = []
      size = 0
      start = at + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > MAX_LINE)
      throw new RangeError(`${path}: expected lines of at most ${MAX_LINE} bytes, found a longer one`)
  }
  if (parts.length > 0) yield { line: Buffer.concat(parts), complete: false }
}
