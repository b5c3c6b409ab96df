/** What a page pays that only detects: the bundle of `detect` and one method, minified and compressed. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'

/** In bytes. Raise it only with a reason in the CHANGELOG. */
const MAX_SIZE = 19_500

/** The minified bundle of a module. */
async function bundle(source: string): Promise<string> {
  const entry = 'virtual:entry.js'
  const built = await build({
    root,
    logLevel: 'silent',
    configFile: false,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
    build: { write: false, minify: true, rollupOptions: { input: entry, preserveEntrySignatures: 'strict' } },
  })
  const { output } = built as { output: { type: string; code: string }[] }
  expect(output).toHaveLength(1)
  return output[0]!.code
}

const from = (names: string): string => `export { ${names} } from '${join(root, 'src/index.ts')}'`

test(`detect and gumbel: at most ${MAX_SIZE} bytes compressed`, async () => {
  const code = await bundle(from('detect, gumbel'))
  const size = gzipSync(code, { level: 9 }).length
  expect(size).toBeGreaterThan(5_000) // it is in there
  expect(size).toBeLessThanOrEqual(MAX_SIZE)
})

test('methods that are not asked for are left out', async () => {
  expect(await bundle(from('detect, synthid'))).toMatch(/synthid/)
  expect(await bundle(from('detect, gumbel'))).not.toMatch(/synthid|mcmark|itsEdit/)
})
