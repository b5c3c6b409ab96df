/** Where things lie in the repository, and which files are pages of the site. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const inRepository = (path: string): string => join(root, path)
export const exists = (path: string): boolean => existsSync(inRepository(path))
export const isFolder = (path: string): boolean => exists(path) && statSync(inRepository(path)).isDirectory()
export const readBytes = (path: string): Buffer => readFileSync(inRepository(path))
export const readText = (path: string): string => readFileSync(inRepository(path), 'utf8')

const markdownIn = (folder: string): string[] =>
  readdirSync(inRepository(folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => posix.join(folder, name))

/** The Markdown files that a site begins with; others join where a link leads to them. */
export const firstPages = (): string[] =>
  ['.', 'docs', 'docs/watermarks', 'docs/api', 'reports'].flatMap(markdownIn)

/** Where a Markdown file goes: `docs/README.md` is `docs/index.html`. Relative links stay relative. */
export const pagePath = (file: string): string =>
  posix.join(
    posix.dirname(file),
    posix
      .basename(file)
      .replace(/\.md$/, '.html')
      .replace(/^README/, 'index'),
  )

/** The address of one path as seen from another. */
export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to)
}
