/** Paths of the repository and of the pages of the site. */
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

/** Lists the Markdown files that the site starts from; links add others. */
export const firstPages = (): string[] =>
  ['.', 'docs', 'docs/watermarks', 'docs/api', 'reports'].flatMap(markdownIn)

/** Returns the page of a Markdown file: `docs/README.md` becomes `docs/index.html`. Relative links stay relative. */
export const pagePath = (file: string): string =>
  posix.join(
    posix.dirname(file),
    posix
      .basename(file)
      .replace(/\.md$/, '.html')
      .replace(/^README/, 'index'),
  )

/** Returns the relative address of one path from another. */
export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to)
}
