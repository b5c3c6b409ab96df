/** File names with `*` and `?`, for shells that leave them as they are. Node has a function of its own from version 22 on. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const isPattern = (text: string): boolean => /[*?]/.test(text)

const matcher = (segment: string): RegExp =>
  new RegExp(
    `^${segment
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

function entries(folder: string): string[] {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort()
  } catch {
    return []
  }
}

function match(folder: string, [segment, ...rest]: readonly string[]): string[] {
  if (segment === undefined) return [folder]
  if (!isPattern(segment)) {
    const next = folder === '' ? segment || '/' : join(folder, segment)
    return existsSync(next) ? match(next, rest) : []
  }
  const name = matcher(segment)
  return entries(folder)
    .filter((entry) => name.test(entry) && (!entry.startsWith('.') || segment.startsWith('.')))
    .flatMap((entry) => match(folder === '' ? entry : join(folder, entry), rest))
}

/**
 * The files that a name stands for: itself, unless it is a pattern and no file has that name.
 * @example expand('a.jsonl') // ['a.jsonl']; 'texts/*.jsonl' gives all files that match, sorted
 */
export function expand(name: string): string[] {
  if (!isPattern(name) || existsSync(name)) return [name]
  const found = match('', name.split('/'))
  if (found.length === 0) throw new RangeError(`${name}: no file matches`)
  return found
}
