/** The files that commands read and write. Every error names its file. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { putAll, sweepDrafts } from '../report/put.ts'
import { UsageError } from './command.ts'

/** The largest file that is read, in bytes: a text of tens of millions of tokens. */
const MAX_FILE = 2 ** 28

/** The bytes of a file, or of standard input for `-`; with more than `limit` of them, such as a device gives, an error. */
export function readBytes(path: string, limit = MAX_FILE): Uint8Array {
  const name = path === '-' ? 'standard input' : path
  try {
    if (path !== '-' && statSync(path).isDirectory()) throw new UsageError(`${name}: is a folder`)
    const file = path === '-' ? 0 : openSync(path, 'r')
    try {
      return readAll(name, file, limit)
    } finally {
      if (file !== 0) closeSync(file)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`${name}: ${code === 'ENOENT' ? 'no such file' : message.split(',')[0]}`)
  }
}

function readAll(name: string, file: number, limit: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const chunk = new Uint8Array(2 ** 16)
    let count: number
    try {
      count = readSync(file, chunk)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') break
      if (code !== 'EAGAIN') throw error
      // a terminal or pipe that has nothing yet: look again soon
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      continue
    }
    if (count === 0) break
    size += count
    if (size > limit) throw new UsageError(`${name}: expected at most ${limit} bytes, found more`)
    chunks.push(chunk.subarray(0, count))
  }
  return Buffer.concat(chunks, size)
}

/** What a file that is no UTF-8 seems to be. */
function kindOf(bytes: Uint8Array): string {
  const [a, b] = bytes
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return '; it seems to be UTF-16'
  if (a === 0x1f && b === 0x8b) return '; it seems to be compressed with gzip'
  return ''
}

/** The text of a file, or of standard input for `-`. */
export function readText(path: string): string {
  const bytes = readBytes(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${path === '-' ? 'standard input' : path}: expected UTF-8 text${kindOf(bytes)}`)
  }
}

/** Refuses an output file that cannot be written because its folder is not there, before any work is done. */
export function checkFolderOf(file: string): void {
  if (file === '') throw new UsageError('expected the name of a file to write, got an empty one')
  if (!existsSync(dirname(file))) throw new UsageError(`${file}: no such folder`)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${file}: is a folder`)
}

/** Writes files, all or none of them; returns what went wrong. */
export function tryToWrite(files: readonly (readonly [path: string, content: string])[]): string | undefined {
  try {
    for (const folder of new Set(files.map(([path]) => dirname(path)))) sweepDrafts(folder)
    putAll(files)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
