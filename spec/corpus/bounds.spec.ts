/** Files that are damaged, or made to take time: an error that names the file, soon. */
import { execFileSync } from 'node:child_process'
import fs, { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterEach, expect, test } from 'vitest'
import { expand } from '../../src/text/corpus/glob.ts'
import { parquetFile } from '../../src/text/corpus/parquet.ts'
import { openSource } from '../../src/text/corpus/source.ts'
import { inProcess } from '../commands/in-process.ts'
import { temporaryFolder } from '../commands/program.ts'

const folder = temporaryFolder('bounds')
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
async function read(path: string): Promise<number> {
  let count = 0
  for await (const _ of (await openSource(path)).entries()) count++
  return count
}
/** Seconds of computation, which a busy machine does not stretch. */
async function seconds(work: () => unknown): Promise<number> {
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

test('a quote that is never closed takes memory in proportion to the file', async () => {
  const file = put('open.csv', `id,text\n1,"${'word '.repeat(4_000_000)}`)
  global.gc?.()
  const before = process.memoryUsage().rss
  const time = await seconds(() =>
    expect(read(file)).rejects.toThrow('the quote opened in the record of line 2 is never closed'),
  )
  // 20 MB of text; a rope of single characters had 32 bytes for each
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(300)
  expect(time).toBeLessThan(5)
})

const { readdirSync, statSync } = fs
afterEach(() => {
  Object.assign(fs, { readdirSync, statSync })
  syncBuiltinESMExports()
})

test.each([
  ['readdirSync', '*/*.jsonl'],
  ['statSync', '*/a.jsonl'],
] as const)('a folder that cannot be read is an error, not half of the texts (%s)', (name, pattern) => {
  for (const part of ['open', 'secret']) {
    mkdirSync(join(folder, part), { recursive: true })
    put(join(part, 'a.jsonl'), '')
  }
  expect(expand(join(folder, pattern))).toHaveLength(2)
  const real = fs[name] as (path: string, ...rest: unknown[]) => unknown
  Object.assign(fs, {
    [name](path: string, ...rest: unknown[]) {
      if (path.includes('secret'))
        throw Object.assign(new Error(`EACCES: permission denied, scandir '${path}'`), { code: 'EACCES' })
      return real(path, ...rest)
    },
  })
  syncBuiltinESMExports()
  expect(() => expand(join(folder, pattern))).toThrow(
    /secret.*: EACCES: permission denied; expected a folder that can be read/,
  )
})

const parquet = new Uint8Array(
  parquetWriteBuffer({ columnData: [{ name: 'text', data: ['aaa', 'b'], type: 'STRING' }] }),
)

test('a damaged parquet file exits with code 2', async () => {
  const file = put('cut.parquet', parquet.slice(0, -3))
  const { status, stderr } = await inProcess(['detect', file, '-w', 'gumbel', '--key', 'k'.repeat(16)])
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^uwbench: .*cut\.parquet: a damaged parquet file .*\n$/),
  ])
})

test('a byte of a parquet file replaced: rows or an error, no hang', async () => {
  let hung = 0
  for (let at = 9; at < 14; at++) {
    const bytes = parquet.slice()
    bytes[at] = 0
    const file = put('zero.parquet', bytes)
    try {
      for await (const _ of parquetFile(file, { seconds: 1 }));
    } catch (error) {
      expect((error as Error).message).toMatch(/zero\.parquet: a damaged parquet file/)
      if ((error as Error).message.includes('a row group takes over 1 seconds')) hung++
    }
  }
  // counts of zero in the header of a page make hyparquet loop for ever
  expect(hung).toBeGreaterThan(0)
})

test.skipIf(process.platform === 'win32')('a FIFO among reports is an error', async () => {
  mkdirSync(join(folder, 'reports'))
  execFileSync('mkfifo', [join(folder, 'reports', 'a.json')])
  const { status, stderr } = await inProcess(['report', join(folder, 'reports')])
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('a.json: expected a file, found something else'),
  ])
})

test('a pattern of a tokenizer that backtracks for ever is stopped', async () => {
  const models = fileURLToPath(new URL('../../fixtures/models/uwbench-lm/', import.meta.url))
  const own = join(folder, 'tokenizer')
  cpSync(models, own, { recursive: true, filter: (path) => !/onnx|train/.test(path.slice(models.length)) })
  const pre_tokenizer = { type: 'Split', pattern: { Regex: '(a|a)+$' }, behavior: 'Isolated', invert: false }
  const json = JSON.parse(readFileSync(join(own, 'tokenizer.json'), 'utf8'))
  writeFileSync(join(own, 'tokenizer.json'), JSON.stringify({ ...json, pre_tokenizer }))
  const text = put('text', `${'a'.repeat(60)}!`)
  const args = ['detect', text, '--tokenizer', own, '-w', 'gumbel', '--key', 'k'.repeat(16)]
  const { status, stderr } = await inProcess(args)
  expect(stderr).toBe(
    'uwbench: --tokenizer: expected at most 5.007 seconds for a text of 61 characters, took longer; a pattern in its tokenizer.json backtracks too much\n',
  )
  expect(status).toBe(2)
})
