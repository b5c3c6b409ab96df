import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { canonical, cell } from '../../src/bench/cells/cell.ts'
import { openStore, storePath, sweepStore } from '../../src/bench/cells/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fileOf = (store: string, digest: string) => join(folder, store, 'cells', digest.slice(0, 2), digest)

describe('addresses', () => {
  test('canonical JSON ignores the order of keys and keeps every value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ depthSize: 'small' })), (value) => {
        const plain = JSON.parse(JSON.stringify(value))
        const reversed = Object.fromEntries(Object.entries(plain).reverse())
        expect(canonical(reversed)).toBe(canonical(plain))
        expect(JSON.parse(canonical(plain))).toEqual(plain)
      }),
      { numRuns: 100 },
    )
  })

  test('every part of a cell is part of its address', () => {
    const need = cell('a', { x: 1 })
    const cells = [
      cell('b', { x: 1 }),
      cell('c', { x: 1 }),
      cell('b', { x: 2 }),
      cell('b', { x: 1, trial: 0 }),
      cell('b', { x: 1, trial: 1 }),
      cell('b', { x: 1 }, { code: 'other code' }),
      cell('b', { x: 1 }, { needs: [need] }),
      cell('b', { x: 1 }, { needs: [cell('a', { x: 2 })] }),
    ]
    expect(new Set(cells.map((c) => c.digest)).size).toBe(cells.length)
  })

  test('the label, which determines nothing, is not', () => {
    expect(cell('a', { x: 1 }, { label: 'one' }).digest).toBe(cell('a', { x: 1 }, { label: 'two' }).digest)
  })

  test('what JSON would change silently is refused, with its place', () => {
    expect(() => cell('a', { x: { y: [1, Number.NaN] } })).toThrow(/x\.y\[1\].*finite.*NaN/)
    expect(() => canonical({ f: new Float64Array(1) })).toThrow(/value\.f: expected plain JSON data/)
  })
})

describe('the store', () => {
  test('gives back what was written', () => {
    const store = openStore(join(folder, 'plain'))
    const one = cell('a', { x: 1 })
    expect(store.read(one)).toBeUndefined()
    store.write(one, { tokens: [1, 2, 3], p: 1e-300 })
    expect(openStore(join(folder, 'plain')).read(one)).toEqual({ tokens: [1, 2, 3], p: 1e-300 })
  })

  test.each([
    ['cut short', (file: string) => truncateSync(file, statSync(file).size - 3)],
    ['emptied', (file: string) => truncateSync(file, 0)],
    [
      'changed in one byte',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('17', '18')),
    ],
    ['overwritten', (file: string) => writeFileSync(file, 'no digest here')],
  ])('an entry that was %s counts as missing, with a warning, and can be written again', (how, damage) => {
    const warnings: string[] = []
    const name = `damaged ${how}`
    const one = cell('a', { x: 17 }, { label: 'cell seventeen' })
    openStore(join(folder, name)).write(one, { value: 17 })
    damage(fileOf(name, one.digest))
    const store = openStore(join(folder, name), { warn: (message) => warnings.push(message) })
    expect(store.has(one)).toBe(false)
    expect(warnings.join()).toContain('cell seventeen')
    store.write(one, { value: 17 })
    expect(openStore(join(folder, name)).read(one)).toEqual({ value: 17 })
  })

  test('drafts of dead processes are swept, drafts of living ones are not', () => {
    const store = openStore(join(folder, 'drafts'))
    const one = cell('a', { x: 1 })
    store.write(one, 1)
    const file = fileOf('drafts', one.digest)
    const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
    const [mine, dead] = [`${machine}-${process.pid}`, `${machine}-999999999`]
    for (const owner of [mine, dead, '01234567-1', '89abcdef-1'])
      writeFileSync(`${file}.${owner}-0123abcd.tmp`, 'a draft')
    // another machine's processes cannot be seen: its drafts are left alone for a day
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
    utimesSync(`${file}.89abcdef-1-0123abcd.tmp`, twoDaysAgo, twoDaysAgo)
    expect(sweepStore(join(folder, 'drafts'))).toBe(2)
    expect(readdirSync(join(file, '..')).length).toBe(3)
  })

  test('opening a store sweeps it', () => {
    const store = openStore(join(folder, 'swept'))
    const one = cell('a', { x: 1 })
    store.write(one, 1)
    const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
    writeFileSync(`${fileOf('swept', one.digest)}.${machine}-999999999-0123abcd.tmp`, 'a draft')
    openStore(join(folder, 'swept'))
    expect(readdirSync(join(fileOf('swept', one.digest), '..'))).toEqual([one.digest])
  })

  test('entries that were swapped are both recomputed', () => {
    const warnings: string[] = []
    const [one, two] = [cell('a', { x: 1 }), cell('a', { x: 2 })]
    const first = openStore(join(folder, 'swapped'))
    first.write(one, 1)
    first.write(two, 2)
    const [a, b] = [one, two].map(({ digest }) => readFileSync(fileOf('swapped', digest)))
    writeFileSync(fileOf('swapped', one.digest), b!)
    writeFileSync(fileOf('swapped', two.digest), a!)
    const store = openStore(join(folder, 'swapped'), { warn: (message) => warnings.push(message) })
    expect([store.has(one), store.has(two)]).toEqual([false, false])
    expect(warnings[0]).toContain(`corrupt entry for a (${fileOf('swapped', one.digest)}); recomputing`)
  })

  test('UWBENCH_STORE moves it', () => {
    expect(storePath({})).toBe('.uwbench')
    expect(storePath({ UWBENCH_STORE: 'elsewhere' })).toBe('elsewhere')
  })
})

test.skipIf(process.platform === 'win32')('a FIFO in the place of an entry is corrupt, and replaced', () => {
  const warnings: string[] = []
  const store = openStore(join(folder, 'fifo'), { warn: (message) => warnings.push(message) })
  const double = cell('double', { n: 3 })
  const file = fileOf('fifo', double.digest)
  mkdirSync(dirname(file), { recursive: true })
  execFileSync('mkfifo', [file])
  expect(store.read(double)).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('store: corrupt entry for double')])
  store.write(double, 6)
  expect(statSync(file).isFile()).toBe(true)
  expect(store.read(double)).toBe(6)
})
