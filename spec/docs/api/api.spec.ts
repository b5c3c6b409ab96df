/** The public surface: documented, without two things of one name, and with examples that run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { shippedMethods } from '../../../src/watermarks/entry.ts'
import { root, temporaryFolder } from '../../commands/program.ts'
import { writeTinyCausal, writeTinyEncoder, writeTinySeq2seq } from '../../models/tiny/folder.ts'
import { matches, namesIn, programOf, resultIn } from './example.ts'
import { internalExamples } from './internal.ts'
import { apiPages, commentOf, importsOf } from './pages.ts'
import { type Export, grouped, readSurface, sources } from './surface.ts'

const entries = readSurface()
const all = entries.flatMap(({ exports }) => exports)
const values = all.filter(({ kind }) => kind !== 'type')
const folder = join(root, 'docs/api')

describe('docs/api', () => {
  const pages = apiPages(entries)
  test.each([...pages])('%s is what the source says (npm run docs writes it)', async (file, page) => {
    await expect(page).toMatchFileSnapshot(join(folder, file))
  })

  test('there is no other page', () => {
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort())
  })
})

test('every public name has a sentence', () => {
  const silent = all.filter((one) => commentOf(one, entries) === '')
  expect(silent.map(({ entry, name, place }) => `${entry}: ${name} (${place})`)).toEqual([])
})

test('every function and value has an example', () => {
  const without = values.filter(({ examples }) => examples.length === 0)
  expect(without.map(({ entry, name, place }) => `${entry}: ${name} (${place})`)).toEqual([])
})

/** What outside checks and users' CI import: it stays where it is. */
test.each([
  [
    'uwbench',
    'defineWatermark embedder detect detectMany watermarkProcessor ngram fixed sequence prefix sumDetector alignmentDetector ' +
      'scanDetector binomial exponential weightedBits parseWatermark paperWatermarks kernels gumbel gammaReweight deltaReweight ' +
      'dipmark mcmark synthid sta1 kgw unigram itsEdit expEdit christ unwatermarked',
  ],
  ['uwbench/laws', 'checkWatermark'],
  ['uwbench/vitest', 'describeWatermark describeTestee'],
  ['uwbench/testee', 'checkTestee'],
  ['uwbench/server', 'checkServer'],
  ['uwbench/models', 'embeddedModel loadModel loadTokenizer generate'],
  [
    'uwbench/reference',
    'TorchGenerator kgwGreenlist synthidGValues mcmarkSeed mersenneUniforms expEditStatistic philoxWord vllmSubkey',
  ],
  ['uwbench/attacks', 'synonyms rewrite paraphrase'],
])('%s keeps the names of the contract', (entry, names) => {
  const here = values.filter((one) => one.entry === entry).map(({ name }) => name)
  expect(here).toEqual(expect.arrayContaining(names.split(' ')))
})

test('the root has 37 names besides the methods', () => {
  const methods = new Set(shippedMethods().map(({ name }) => name))
  const others = entries[0]!.exports.filter(({ kind, name }) => kind !== 'type' && !methods.has(name))
  expect(others.length).toBeLessThanOrEqual(37)
})

describe('names', () => {
  /** Different things whose names are equal, or equal but for case. */
  const clashes = (list: readonly Export[]): string[][] =>
    [...grouped(list, ({ name }) => name.toLowerCase()).values()]
      .map((same) => [...new Map(same.map((one) => [one.place, one])).values()])
      .filter((same) => same.length > 1)
      .map((same) => same.map(({ entry, name }) => `${entry}: ${name}`))

  test('no two functions or values share a name, whatever the case', () => {
    expect(clashes(values)).toEqual([])
  })

  test('no two types share a name, whatever the case', () => {
    expect(clashes(all.filter(({ kind }) => kind === 'type'))).toEqual([])
  })

  test('a type that differs from a function by case only is what the function returns', () => {
    for (const type of all.filter(({ kind }) => kind === 'type'))
      for (const value of values.filter(({ name }) => name.toLowerCase() === type.name.toLowerCase()))
        expect(value.returns, `${value.entry}: ${value.name}`).toMatch(new RegExp(`\\b${type.name}\\b`))
  })
})

describe('results in comments', () => {
  test.each([
    [2.5, '2.5'],
    [0.65132, '1 - 0.9^10 = 0.6513'],
    [7 / 8, '7 / 8'],
    [-12.3181, 'ln 4.47e-6 = -12.318'],
    ['wasm', "'wasm': compiled"],
    [{ low: 2, high: 7, exact: true }, '{ low: 2, high: 7, ... }'],
    [Int32Array.of(2, 4), 'Int32Array [2, 4]'],
    [
      [
        [1, 1, 0],
        [0, 1, 1],
      ],
      '[[1, 1, 0], ...]',
    ],
  ])('%j is %s', (value, comment) => {
    expect(matches(value, resultIn(comment)!)).toBe(true)
  })

  test.each([
    [2.6, '2.5'],
    [0.6514, '0.6513'],
    [2, "'2'"],
    [{ low: 2, high: 7, exact: true }, '{ low: 2, high: 7 }'],
    [[1, 2, 3], '[1, 2]'],
    [undefined, '0'],
  ])('%j is not %s', (value, comment) => {
    expect(matches(value, resultIn(comment)!)).toBe(false)
  })

  test('a remark is no result', () => {
    expect(resultIn('sample the next token from q')).toBeUndefined()
    expect(resultIn('allocate once, use for every position')).toBeUndefined()
  })
})

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
