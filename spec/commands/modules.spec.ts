/** TypeScript modules where Node runs none: their JavaScript is not run from a place that others can prepare. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importModule } from '../../src/cli/commands/modules.ts'
import { temporaryFolder } from './program.ts'

const runsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript)

test.skipIf(runsTypeScript)('a TypeScript module runs from a private folder with a fresh name', async () => {
  const folder = temporaryFolder('modules')
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'mine.ts'), 'export const strength: number = 2')
  const { url, exports } = await importModule(join(folder, 'mine.ts'))
  expect(exports.strength).toBe(2)
  const home = dirname(fileURLToPath(url))
  expect(home.startsWith(join(folder, 'node_modules/.cache/uwbench/module-'))).toBe(true)
  expect(statSync(home).mode & 0o077).toBe(0)
  expect((await importModule(join(folder, 'mine.ts'))).url).toBe(url) // one module, one instance
})
