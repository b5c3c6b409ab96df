/**
 * The identity of the code that computes a cell: a digest over a module and all the project's modules it imports, so that a
 * cell computed by other code has another address. Whole-line comments and blank lines do not count; types of packages
 * are covered by their versions, which the caller adds.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOf } from './cell.ts'

/** Relative imports and re-exports, static or dynamic, as the formatter writes them; type-only ones leave no code behind. */
const imports =
  /(?:^|\n)\s*(?:import|export)(?!\s+type\b)\s(?:[^'";]*?from\s+)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/g

const bare = (source: string): string =>
  source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(\/\/|\/\*|\*)/.test(line))
    .join('\n')

/** All files a module reaches through relative imports, itself first. */
export function reachable(entry: string): Map<string, string> {
  const sources = new Map<string, string>()
  const visit = (url: string): void => {
    if (sources.has(url)) return
    const source = readFileSync(fileURLToPath(url), 'utf8')
    sources.set(url, source)
    for (const match of source.matchAll(imports)) visit(new URL((match[1] ?? match[2])!, url).href)
  }
  visit(entry)
  return sources
}

/** The digest of a module's code and of what it imports, as it is now. */
export const codeDigest = (entry: string): string =>
  digestOf(
    [...reachable(entry).values()]
      .map((source) => digestOf(bare(source)))
      .sort()
      .join('\n'),
  )

const known = new Map<string, string>()

/** As {@link codeDigest}, looked at once per process. */
export function codeOf(entry: string): string {
  const digest = known.get(entry) ?? codeDigest(entry)
  known.set(entry, digest)
  return digest
}
