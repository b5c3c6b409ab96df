// Lets Node 20 run the TypeScript sources in worker threads, which vitest does not transform: a load hook that drops the types.
// The sources use erasable syntax only, so newer versions of Node need no hook; the published package holds JavaScript.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

if (!globalThis.uwbenchTypeScript && !process.features.typescript) {
  globalThis.uwbenchTypeScript = true
  if (!isMainThread) register(import.meta.url)
}

let transform

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  transform ??= (await import('rolldown/utils')).transformSync
  const path = fileURLToPath(url)
  const { code, errors } = transform(path, await readFile(path, 'utf8'), { sourcemap: false })
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`)
  return { format: 'module', source: code, shortCircuit: true }
}
