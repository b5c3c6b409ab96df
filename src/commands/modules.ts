/** Modules of users, in JavaScript or TypeScript, as something that every thread can import. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { show } from '../input.ts'
import { UsageError } from './command.ts'

const isTypeScript = (file: string): boolean => /\.[mc]?ts$/.test(file)

/** Node runs TypeScript by itself from 22.18 on. */
const runsTypeScript = (): boolean => Boolean((process.features as { typescript?: unknown }).typescript)

class NoBundler extends Error {}

interface Vite {
  build(config: object): Promise<{ output: { code?: string }[] } | { output: { code?: string }[] }[]>
}

/** The bundler of the user's own project: vitest brings it along. */
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

/** The module and what it imports by relative paths, as JavaScript; packages are left to be imported. */
async function bundled(file: string): Promise<string> {
  const { build } = await viteOf(file, 'TypeScript needs Node 22.18 or later, or')
  const built = await build({
    root: dirname(file),
    configFile: false,
    envFile: false,
    logLevel: 'silent',
    build: {
      ssr: file,
      write: false,
      target: 'node20',
      minify: false,
      rollupOptions: { external: (id: string) => !/^[./]|^\0/.test(id) && !id.startsWith(dirname(file)) },
    },
  })
  return codeOf(file, built)
}

function codeOf(file: string, built: Awaited<ReturnType<Vite['build']>>): string {
  const { code } = [built].flat()[0]!.output[0]!
  if (code === undefined) throw new Error(`${file}: the bundler returned no code`)
  return code
}

/** A module with everything that it imports, as one that a browser runs. `uwbench` is this one, whatever else is installed. */
export async function browserModule(name: string): Promise<string> {
  const file = resolve(name)
  const { build } = await viteOf(file, 'a playground with a watermark of your own needs')
  const core = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? '../index.ts' : '../index.js', import.meta.url),
  )
  try {
    const built = await build({
      root: dirname(file),
      configFile: false,
      envFile: false,
      publicDir: false,
      logLevel: 'silent',
      resolve: { alias: [{ find: /^uwbench$/, replacement: core }] },
      build: { lib: { entry: file, formats: ['es'] }, write: false, target: 'es2022', minify: false },
    })
    return codeOf(file, built)
  } catch (error) {
    throw new UsageError(`${name}: ${show(error)}`)
  }
}

/** The nearest folder of packages above a file: a bundle in it finds the packages that the file finds. */
function packagesOf(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    if (existsSync(packages)) return packages
    if (folder === dirname(folder)) return undefined
  }
}

/**
 * The URL under which a module can be imported, here and in other threads. TypeScript is turned into JavaScript where Node cannot
 * run it, in `node_modules/.cache/uwbench`.
 */
async function moduleUrl(name: string): Promise<string> {
  const file = resolve(name)
  if (!existsSync(file)) throw new UsageError(`${name}: no such file`)
  if (!isTypeScript(file) || runsTypeScript()) return pathToFileURL(file).href
  let code: string
  try {
    code = await bundled(file)
  } catch (error) {
    if (error instanceof NoBundler) throw error
    throw new UsageError(`${name}: ${show(error)}`)
  }
  const folder = join(packagesOf(file) ?? dirname(file), '.cache', 'uwbench')
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const copy = join(folder, `${basename(file).replace(/\.\w+$/, '')}-${digest}.mjs`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(copy, code)
  return pathToFileURL(copy).href
}

/** What a module exports. */
export async function importModule(name: string): Promise<{ url: string; exports: Record<string, unknown> }> {
  const url = await moduleUrl(name)
  try {
    return { url, exports: (await import(/* @vite-ignore */ url)) as Record<string, unknown> }
  } catch (error) {
    throw new UsageError(`${name}: ${show(error)}`)
  }
}
