/** The files that commands read and write. Every error names its file. */
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { chunks, nameOf } from '../corpus/chunks.ts'
import { openSource } from '../corpus/source.ts'
import { putAll, sweepDrafts } from '../report/put.ts'
import { UsageError } from './command.ts'

/** The largest file that is read at once, in bytes. */
const MAX_FILE = 2 ** 28

/** The bytes of a file, or of standard input for `-`; with more than `limit` of them, such as a device gives, an error. */
export function readBytes(path: string, limit = MAX_FILE): Uint8Array {
  const parts: Uint8Array[] = []
  let size = 0
  for (const part of chunks(path)) {
    size += part.length
    if (size > limit) throw new UsageError(`${nameOf(path)}: expected at most ${limit} bytes, found more`)
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

/** The text of a file, or of standard input for `-`. */
export const readText = async (path: string): Promise<string> => (await openSource(path, 'text')).content()

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
