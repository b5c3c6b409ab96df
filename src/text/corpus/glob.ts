/** File names with `*`, `?` and `**`, for shells that leave them as they are. Node has a function of its own from version 22 on. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const isPattern = (text: string): boolean => /[*?]/.test(text)

const matcher = (segment: string): RegExp =>
  new RegExp(
    `^${segment
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.')}$`,
  )

/** Returns what a function reads, or `missing` where nothing is there. What cannot be read is an error: it may hold half of the texts. */
function readIf<T>(path: string, read: () => T, missing: T): T {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing
    throw new RangeError(`${path}: ${message.split(',')[0]}; expected a folder that can be read`)
  }
}

const entries = (folder: string): string[] =>
  readIf(folder || '.', () => readdirSync(folder || '.').sort(), [])

const exists = (path: string): boolean => readIf(path, () => statSync(path) !== undefined, false)

/** Lists a folder and all below it, without hidden ones and links, which may lead back. */
function foldersFrom(folder: string): string[] {
  const inside = entries(folder).filter((entry) => !entry.startsWith('.'))
  const paths = inside.map((entry) => (folder === '' ? entry : join(folder, entry)))
  return [folder, ...paths.filter((path) => lstatSync(path).isDirectory()).flatMap(foldersFrom)]
}

function match(folder: string, [segment, ...rest]: readonly string[]): string[] {
  if (segment === undefined) return [folder]
  if (segment === '**' && rest.length > 0) return foldersFrom(folder).flatMap((one) => match(one, rest))
  if (!isPattern(segment)) {
    const next = folder === '' ? segment || '/' : join(folder, segment)
    return exists(next) ? match(next, rest) : []
  }
  const name = matcher(segment)
  return entries(folder)
    .filter((entry) => name.test(entry) && (!entry.startsWith('.') || segment.startsWith('.')))
    .flatMap((entry) => match(folder === '' ? entry : join(folder, entry), rest))
}

/**
 * Returns the files that a name stands for: itself, unless it is a pattern and no file has that name.
 * @example expand('a.jsonl') // ['a.jsonl']; 'texts/*.jsonl' gives all files that match, sorted
 */
export function expand(name: string): string[] {
  if (!isPattern(name) || existsSync(name)) return [name]
  const found = match('', name.split('/'))
  if (found.length === 0) throw new RangeError(`${name}: no file matches`)
  return found
}
