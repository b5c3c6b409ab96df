/** The examples of doc comments run, and give what they say. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { root, temporaryFolder } from '../../commands/program.ts'
import { writeTinyCausal, writeTinyEncoder, writeTinySeq2seq } from '../../models/tiny/folder.ts'
import { matches, namesIn, programOf, resultIn } from './example.ts'
import { internalExamples } from './internal.ts'
import { importsOf } from './pages.ts'
import { readSurface, sources } from './surface.ts'

const entries = readSurface()
const all = entries.flatMap(({ exports }) => exports)
const values = all.filter(({ kind }) => kind !== 'type')

describe('every example runs', async () => {
  const scope: Record<string, unknown> = { fc, expect }
  for (const [, file] of sources) Object.assign(scope, await import(/* @vite-ignore */ file))

  const check = (value: unknown, comment: string): void => {
    if (!matches(value, resultIn(comment)!)) expect(value).toBe(comment)
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>
  const run = (example: string, module: object = {}): Promise<void> => {
    const known: Record<string, unknown> = { ...scope, ...module }
    const names = [...namesIn(example)].filter((name) => name in known)
    const program = new AsyncFunction('check', ...names, programOf(example))
    return program(check, ...names.map((name) => known[name]))
  }

  // examples write files, and load models from a folder
  const before = process.cwd()
  const somewhere = temporaryFolder('api')
  const tiny: string[] = []
  beforeAll(async () => {
    tiny.push(await writeTinyCausal(), await writeTinyEncoder(), await writeTinySeq2seq('bart'))
    mkdirSync(join(somewhere, 'models'))
    for (const [i, name] of ['SmolLM2-135M', 'bert-base-uncased', 'dipper'].entries())
      symlinkSync(tiny[i]!, join(somewhere, 'models', name), 'dir')
    // the testee that docs/testee.md shows
    const page = readFileSync(join(root, 'docs/testee.md'), 'utf8')
    writeFileSync(join(somewhere, 'my-watermark.mjs'), /^```js\n([\s\S]*?)^```$/m.exec(page)![1]!)
    process.chdir(somewhere)
  })
  afterAll(() => {
    process.chdir(before)
    for (const folder of tiny) rmSync(folder, { recursive: true, force: true })
  })

  const examples = values.flatMap((one) => one.examples.map((text, i) => ({ ...one, text, number: i + 1 })))
  test.each(examples.filter(({ name }) => !name.startsWith('describe')))(
    '$entry: $name, example $number',
    ({ text }) => run(text),
  )
  // these register tests themselves; the gate of what they describe is elsewhere
  vi.stubEnv('UWBENCH_EFFORT', 'quick')
  for (const { text } of examples.filter(({ name }) => name.startsWith('describe'))) await run(text)
  vi.unstubAllEnvs()

  test.each(internalExamples(new Set(all.map(({ place }) => place))))(
    '$file: $name, which is not public',
    async ({ file, text }) => run(text, await import(/* @vite-ignore */ `../../../${file}`)),
  )

  test('each uses something of the package', () => {
    for (const { name, text } of examples) expect(importsOf(text, entries).join(), name).toContain("'uwbench")
  })
})
