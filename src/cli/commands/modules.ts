/** Modules of users, in JavaScript or TypeScript, as something that every thread can import. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { show } from '../../input.ts'
import { UsageError } from './command.ts'
import { statOf } from './files.ts'

const isTypeScript = (file: string): boolean => /\.[mc]?ts$/.test(file)

/** Node runs TypeScript by itself from 22.18 on. */
const runsTypeScript = (): boolean => Boolean((process.features as { typescript?: unknown }).typescript)

class NoBundler extends Error {}

interface Vite {
  build(config: object): Promise<{ output: { code?: string }[] } | { output: { code?: string }[] }[]>
}

/** Imports the bundler of the user's own project: vitest brings it along. */
async function viteOf(file: string, need: string): Promise<Vite> {
  for (const from of [file, import.meta.filename ?? file])
    try {
      const path = createRequire(from).resolve('vite/package.json')
      return (await import(pathToFileURL(join(dirname(path), 'dist/node/index.js')).href)) as Vite
    } catch {
      // not installed there
    }
  throw new NoBundler(
    `${basename(file)}: ${need} the package vite, which vitest brings along: npm install --save-dev vitest`,
  )
}

/** Bundles a module into one text. @param need why a bundler is needed */
async function bundled(file: string, need: string, settings: { build: object; resolve?: object }) {
  const { build } = await viteOf(file, need)
  const built = await build({
    root: dirname(file),
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: 'silent',
    ...settings,
    build: { write: false, minify: false, ...settings.build },
  })
  const { code } = [built].flat()[0]!.output[0]!
  if (code === undefined) throw new Error(`${file}: the bundler returned no code`)
  return code
}

/** Returns what `work` returns; errors name the module. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoBundler) throw error
    throw new UsageError(
      error instanceof SyntaxError && /outside a module|Unexpected token 'export'/.test(error.message)
        ? `${name}: this file has import or export, but package.json says "type": "commonjs"; rename it to ${name.replace(/\.js$/, '.mjs')}, or run: npm pkg set type=module`
        : `${name}: ${show(error)}`,
    )
  }
}

/** Bundles a module with everything that it imports, for a browser. `uwbench` is this package, whatever else is installed. */
export function browserModule(name: string): Promise<string> {
  const core = new URL(import.meta.url.endsWith('.ts') ? '../../index.ts' : '../../index.js', import.meta.url)
  const file = resolve(name)
  return naming(name, () =>
    bundled(file, 'a playground with a watermark of your own needs', {
      resolve: { alias: [{ find: /^uwbench$/, replacement: fileURLToPath(core) }] },
      build: { lib: { entry: file, formats: ['es'] }, target: 'es2022' },
    }),
  )
}

/** Finds the nearest folder of packages above a file: a bundle in it finds the packages that the file finds. */
function packagesOf(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    if (existsSync(packages)) return packages
    if (folder === dirname(folder)) return undefined
  }
}

/** Bundles of this process by the digest of their code. */
const copies = new Map<string, string>()

/** Writes a bundle into a folder that only this user can enter, under a name that nobody can prepare; it goes with the process. */
function ownCopy(file: string, code: string): string {
  const digest = createHash('sha256').update(code).digest('hex')
  const known = copies.get(digest)
  if (known !== undefined) return known
  const cache = join(packagesOf(file) ?? dirname(file), '.cache', 'uwbench')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'module-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, `${basename(file).replace(/\.\w+$/, '')}.mjs`)
  writeFileSync(copy, code, { flag: 'wx' })
  copies.set(digest, copy)
  return copy
}

/**
 * Returns the URL under which a module can be imported, here and in other threads. TypeScript is turned into JavaScript where Node cannot
 * run it, in a folder of this process below `node_modules/.cache/uwbench`.
 */
async function moduleUrl(name: string): Promise<string> {
  const file = resolve(name)
  const stat = statOf(file)
  if (stat === undefined) throw new UsageError(`${name}: no such file`)
  // the loader would read a device to its end, and it may have none
  if (!stat.isFile() && !stat.isDirectory())
    throw new UsageError(`${name}: expected the file of a module, found a device or a pipe`)
  if (!isTypeScript(file) || runsTypeScript()) return pathToFileURL(file).href
  // what it imports by relative paths is in it; packages are left to be imported
  const external = (id: string) => !/^[./]|^\0/.test(id) && !id.startsWith(dirname(file))
  const code = await naming(name, () =>
    bundled(file, 'TypeScript needs Node 22.18 or later, or', {
      build: { ssr: file, target: 'node20', rollupOptions: { external } },
    }),
  )
  return pathToFileURL(ownCopy(file, code)).href
}

/** Imports a module; returns its URL and its exports. */
export async function importModule(name: string): Promise<{ url: string; exports: Record<string, unknown> }> {
  const url = await moduleUrl(name)
  return naming(name, async () => ({
    url,
    exports: (await import(/* @vite-ignore */ url)) as Record<string, unknown>,
  }))
}
