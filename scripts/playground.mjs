// Bundles what the playground runs in a browser: each script with all that it imports.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const source = fileURLToPath(new URL('../src/cli/playground/browser/', import.meta.url))

/** Writes the page, its scripts and its style into a folder. */
export async function bundlePlayground(folder) {
  mkdirSync(folder, { recursive: true })
  cpSync(join(source, 'index.html'), join(folder, 'index.html'))
  const styles = ['theme.css', 'playground.css'].map((name) => readFileSync(join(source, name), 'utf8'))
  writeFileSync(join(folder, 'playground.css'), styles.join(''))
  // one by one: files with common parts would come in several pieces
  for (const name of ['page', 'worker', 'service-worker'])
    await build({
      input: join(source, `${name}.ts`),
      platform: 'browser',
      logLevel: 'warn',
      treeshake: { moduleSideEffects: false },
      output: { file: join(folder, `${name}.js`), format: 'es', minify: true },
    })
}
