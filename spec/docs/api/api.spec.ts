/** The public surface: documented, and without two things of one name. That its examples run: examples.slow.spec.ts. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shippedMethods } from '../../../src/watermarks/entry.ts'
import { root } from '../../commands/program.ts'
import { matches, resultIn } from './example.ts'
import { apiPages, commentOf } from './pages.ts'
import { type Export, grouped, readSurface } from './surface.ts'

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
