/**
 * The identity of the code that computes a cell: a digest over a module, all modules that it reaches through relative imports, and
 * the installed versions of the packages that those import. A cell computed by other code has another address. All bytes of a
 * file count, comments too: only a parser can tell where a comment ends.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './cell.ts'

/** Imports and re-exports of packages and absolute paths, static or dynamic; type-only ones leave no code behind. */
const imports =
  /(?:^|[\n;]|\*\/)\s*(?:import|export)\b(?!\s+type\b)\s*(?:[^'";]*?from\s*)?['"]([^'"\n]+)['"]|(?<!typeof )import\(\s*['"]([^'"\n]+)['"]\s*\)/g

/** Packages that are loaded as CommonJS: `createRequire(url)('name')`. */
const required = /\)\(\s*'((?:@[\w.-]+\/)?[\w.-]+)'\s*\)/g

/** Texts that may name a file beside the module: imports in any form, and data that it reads. One too many only computes again. */
const beside = /(['"`])(\.{1,2}\/[^'"`\n]+)\1/g
const ofTypes =
  /\b(?:import|export)\s+type\s*(?:\{[^}]*\}|\*(?:\s*as\s+\w+)?|\w+)\s*from\s*['"][^'"\n]+['"]|\btypeof import\([^)]*\)/g
const isModule = (file: string): boolean => /\.[cm]?[jt]sx?$/.test(file)

/** The parts that a module's code consists of. */
export interface Reached {
  /** Sources by URL, the module itself first. */
  readonly sources: ReadonlyMap<string, string>
  /** Installed versions by package: `none` where a package is not installed. */
  readonly packages: ReadonlyMap<string, string>
}

/** This package: what a module that imports it by name gets. */
const self = {
  name: 'uwbench',
  entry: new URL(`../../index${import.meta.url.slice(-3)}`, import.meta.url).href,
}

/** Returns the name of the package that an import names: `@noble/hashes` of `@noble/hashes/sha2.js`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Returns the version of a package as a file finds it, in the nearest `node_modules` above; `none` where it is not installed. */
function versionOf(name: string, file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    if (existsSync(manifest)) return String((JSON.parse(readFileSync(manifest, 'utf8')) as Manifest).version)
    if (folder === dirname(folder)) return 'none'
  }
}

/** Returns the file that `imports` of a project's package.json name; undefined where they do not. */
function throughImports(specifier: string, url: string): string | undefined {
  try {
    return pathToFileURL(createRequire(url).resolve(specifier)).href
  } catch {
    return undefined
  }
}

interface Manifest {
  readonly version?: string
}

/** Everything that a module reaches. */
export function reached(entry: string): Reached {
  const sources = new Map<string, string>()
  const packages = new Map<string, string>()
  const visit = (url: string): void => {
    if (sources.has(url)) return
    const file = fileURLToPath(url)
    const source = readFileSync(file, isModule(file) ? 'utf8' : 'latin1')
    sources.set(url, source)
    if (!isModule(file)) return
    for (const [, , path] of source.replace(ofTypes, '').matchAll(beside)) {
      const next = new URL(path!, url)
      if (statSync(next, { throwIfNoEntry: false })?.isFile()) visit(next.href)
    }
    const named = [...source.matchAll(imports)].map((match) => (match[1] ?? match[2])!)
    for (const specifier of [...named, ...[...source.matchAll(required)].map((match) => match[1]!)]) {
      if (specifier.startsWith('.')) continue
      if (/^(\/|file:)/.test(specifier)) {
        const next = new URL(specifier, url)
        if (existsSync(next)) visit(next.href) // else it stands in a comment: the import itself would fail
      } else if (specifier.startsWith('#')) {
        const file = throughImports(specifier, url)
        if (file !== undefined) visit(file)
      } else if (packageOf(specifier) === self.name) {
        visit(self.entry)
        if (specifier !== self.name) packages.set(self.name, packageVersion())
      } else if (!specifier.includes(':'))
        packages.set(packageOf(specifier), versionOf(packageOf(specifier), file))
    }
  }
  visit(entry)
  return { sources, packages }
}

/** Returns the digest of one module's own code, whatever it imports. */
export const ownCode = (url: string): string => digestOf(readFileSync(fileURLToPath(url), 'utf8'))

/** Returns the digest of a module's code and of what it imports, as it is now. */
export function codeDigest(entry: string): string {
  const { sources, packages } = reached(entry)
  const parts = [
    ...[...sources.values()].map((source) => digestOf(source)),
    ...[...packages].map(([name, version]) => `${name}@${version}`),
  ]
  return digestOf(parts.sort().join('\n'))
}

const known = new Map<string, string>()

/** As {@link codeDigest}, looked at once per process. */
export function codeOf(entry: string): string {
  const digest = known.get(entry) ?? codeDigest(entry)
  known.set(entry, digest)
  return digest
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
