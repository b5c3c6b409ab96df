/** Files that commands read and write. Every error names its file. */
import { existsSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { putAll, sweepDrafts } from '../../bench/report/index.ts'
import { chunks, nameOf, openSource } from '../../text/corpus/index.ts'
import { type Input, UsageError } from './command.ts'

/** Returns what is at a path, undefined where nothing is; a path that leads nowhere, such as a loop of links, is refused. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw new UsageError(
      `${file}: expected a path that can be followed (${(error as Error).message.split(',')[0]})`,
    )
  }
}

/** Largest file to read as a whole, in bytes. */
const MAX_FILE = 2 ** 28

/** Reads a file, or standard input for `-`; refuses more than `limit` bytes, such as a device gives. */
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

/** Reads the text of a file, or of standard input for `-`. */
export const readText = async (path: string): Promise<string> => (await openSource(path, 'text')).content()

/** Refuses an output file whose folder does not exist, before any work is done. */
export function checkFolderOf(file: string): void {
  if (file === '' || file === '-')
    throw new UsageError(`expected the name of a file to write, got '${file}' (standard output: /dev/stdout)`)
  if (!existsSync(dirname(file))) throw new UsageError(`${file}: no such folder`)
  if (statOf(file)?.isDirectory()) throw new UsageError(`${file}: is a folder`)
}

/** Returns the file that an option names for output, after a check of its folder. */
export function outputFile(input: Input, option: string): string | undefined {
  const file = input.flag(option)
  if (file !== undefined) checkFolderOf(file)
  return file
}

/** Writes all of the files or none of them; returns the error message, if any. */
export function tryToWrite(files: readonly (readonly [path: string, content: string])[]): string | undefined {
  try {
    for (const folder of new Set(files.map(([path]) => dirname(path)))) sweepDrafts(folder)
    putAll(files)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
