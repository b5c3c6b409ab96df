/** Settings that run code: only in the root of a project, or where a person says so. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('trusted')
const before = process.cwd()
const ran = globalThis as { foreignCode?: number }
const code = 'globalThis.foreignCode = (globalThis.foreignCode ?? 0) + 1\n'

ran.foreignCode = 0
beforeAll(() => process.chdir(folder))
afterAll(() => process.chdir(before))
afterEach(() => {
  for (const name of ['package.json', 'node_modules', '.git', 'uwbench.config.json'])
    rmSync(join(folder, name), { recursive: true, force: true })
  ran.foreignCode = 0
  vi.unstubAllEnvs()
})

/** Writes a config file that nothing has imported yet. */
function moduleConfig(extension = 'mjs'): string {
  for (const other of ['ts', 'mts', 'js', 'mjs']) rmSync(`uwbench.config.${other}`, { force: true })
  writeFileSync(`uwbench.config.${extension}`, `${code}export default {}`)
  return `uwbench.config.${extension}`
}

test.each(['mjs', 'js', 'ts', 'mts'])('uwbench.config.%s of a download is not run', async (extension) => {
  const name = moduleConfig(extension)
  const { status, stderr } = await inProcess(['list'])
  expect(stderr).toBe(
    `uwbench: ${name} runs code, and this folder is not the root of a project (it has no package.json, node_modules, .git). If you trust the file, add --trust-config or set UWBENCH_CONFIG=${name}\n`,
  )
  expect([status, ran.foreignCode]).toEqual([2, 0])
  rmSync(name)
})

test('a flag, a name or the root of a project run it', async () => {
  const name = moduleConfig()
  expect((await inProcess(['list', '--', '--trust-config'])).status).toBe(2)
  expect((await inProcess(['list', '--trust-config'])).status).toBe(0)
  expect(ran.foreignCode).toBe(1)
  vi.stubEnv('UWBENCH_CONFIG', name)
  expect((await inProcess(['list'])).status).toBe(0)
  vi.unstubAllEnvs()
  for (const root of ['package.json', 'node_modules', '.git']) {
    expect((await inProcess(['list'])).status, root).toBe(2)
    mkdirSync(root)
    expect((await inProcess(['list'])).status, root).toBe(0)
    rmSync(root, { recursive: true })
  }
  rmSync(name)
})

test.each([{ model: 'http://127.0.0.1:9/v1#m' }, { models: ['gpt2', 'HTTPS://127.0.0.1/v1#m'] }])(
  'a server in a JSON file of a download gets no prompt and no token: %j',
  async (config) => {
    writeFileSync('uwbench.config.json', JSON.stringify(config))
    const { status, stderr } = await inProcess(['list'])
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('names a server, and this folder is not the root'),
    ])
    expect((await inProcess(['list', '--trust-config'])).status).toBe(0)
  },
)

test.each([
  ['./x.mjs', 2],
  ['gumbel,./x.mjs,kgw(delta=2)', 2],
  ['gumbel(context=1),x.mjs,kgw(delta=2)', 2],
  ['gumbel', 0],
  ['kgw(delta=0.5)', 0],
])('"watermark": "%s" of a JSON file: exit code %i', async (watermark, status) => {
  writeFileSync('x.mjs', code)
  writeFileSync('uwbench.config.json', JSON.stringify({ watermark }))
  expect((await inProcess(['list'])).status).toBe(status)
  expect(ran.foreignCode).toBe(0)
})
