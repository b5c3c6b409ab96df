import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { type Entry, labelOf, textOfEntry } from '../../src/text/corpus/entry.ts'
import { expand } from '../../src/text/corpus/glob.ts'
import { jsonParts } from '../../src/text/corpus/json-parts.ts'
import { openSource } from '../../src/text/corpus/source.ts'
import { temporaryFolder } from '../commands/program.ts'

const folder = temporaryFolder('corpus')
const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}
async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = []
  for await (const one of source) out.push(one)
  return out
}
const valuesOf = async (path: string, format?: string): Promise<unknown[]> =>
  (await all((await openSource(path, format)).entries())).map(({ value }) => value)

const rows = [
  { id: 'a', tokens: [1, 2, 3], label: true },
  { id: 'b', tokens: [4], label: false, text: 'x "y" [z] \\ {\n' },
]

describe('the same records in every format', () => {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  test.each<[string, string | Uint8Array]>([
    ['a.jsonl', `${lines}\n\n`],
    ['a.ndjson', lines.replaceAll('\n', '\r\n')],
    ['a.json', JSON.stringify(rows)],
    ['b.json', `\n ${JSON.stringify(rows, null, 2)}\n`],
    ['c.json', lines],
    ['d.json', rows.map((row) => JSON.stringify(row)).join('')],
    ['a.jsonl.gz', gzipSync(lines)],
    ['misnamed.jsonl', gzipSync(lines)],
    ['no-suffix', lines],
    ['list-without-suffix', JSON.stringify(rows, null, 1)],
  ])('%s', async (name, content) => {
    const source = await openSource(put(name, content), name === 'd.json' ? 'json' : undefined)
    expect((await all(source.entries())).map(({ value }) => value)).toEqual(rows)
  })

  test('CSV and TSV have text in every column; parquet has lists', async () => {
    expect(await valuesOf(put('a.csv', 'id,tokens\na,"[1, 2]"\n'))).toEqual([{ id: 'a', tokens: '[1, 2]' }])
    expect(await valuesOf(put('a.tsv', 'id\ttext\na\tone, two\n'))).toEqual([{ id: 'a', text: 'one, two' }])
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['a', 'b'], type: 'STRING' },
        { name: 'n', data: [1n, 2n], type: 'INT64' },
      ],
    })
    const expected = [
      { id: 'a', n: 1n },
      { id: 'b', n: 2n },
    ]
    expect(await valuesOf(put('a.parquet', new Uint8Array(buffer)))).toEqual(expected)
    expect(await valuesOf(put('parquet-without-suffix', new Uint8Array(buffer)))).toEqual(expected)
  })

  test('plain text is one text, with --format lines one per line', async () => {
    const path = put('a.txt', '{"not": "JSON"}\n\nsecond\n')
    expect(await valuesOf(path)).toEqual(['{"not": "JSON"}\n\nsecond\n'])
    expect(await valuesOf(path, 'lines')).toEqual(['{"not": "JSON"}', 'second'])
  })
})

describe('one text or many', () => {
  test.each<[string, string, boolean]>([
    ['prose.txt', 'Call me Ishmael.', true],
    ['prose', '[Verse 1] It was', true],
    ['ids.json', '[1, 2, 3]', true],
    ['sidecar.json', JSON.stringify(rows[0], null, 1), true],
    ['list.json', JSON.stringify(rows), false],
    ['lists.json', '[[1], [2]]', false],
    ['lines.json', '{"tokens":[1]}\n{"tokens":[2]}', false],
    ['one.jsonl', '{"tokens":[1]}', false],
    ['piped', '{"tokens":[1]}\n', false],
  ])('%s', async (name, content, single) => {
    expect((await openSource(put(name, content))).single).toBe(single)
  })
})

test('a list is split at any border of pieces, whatever its strings hold', async () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(value),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      async (list, cuts) => {
        const text = JSON.stringify(list, null, 1)
        const pieces = (async function* () {
          for (let at = 0; at < text.length; ) {
            const size = cuts.next().value as number
            yield text.slice(at, at + size)
            at += size
          }
        })()
        const parts = await all(jsonParts('a', pieces, true))
        expect(parts.map(({ value }) => value)).toEqual(JSON.parse(text)) // not the list itself: JSON writes -0 as 0
      },
    ),
    { numRuns: 200 },
  )
})

test.each([
  ['[{"a":1},', 'a.json, entry 2: not JSON: the document ends inside an entry'],
  ['[{"a":1},,{}]', "a.json, entry 2: expected a value, found ','"],
  ['[{"a":1}] x', 'a.json: expected nothing after the list'],
  ['[{"a":}]', 'a.json, entry 1: not JSON'],
  ['[{"a":1} {"b":2}]', 'a.json, entry 1: not JSON'],
])('%s is refused', async (content, message) => {
  await expect(valuesOf(put('a.json', content))).rejects.toThrow(message)
})

describe('entries', () => {
  const entry = (value: unknown): Entry => ({ where: 'a.jsonl, line 7', line: 7, value })

  test('token ids before text; a named column wins; a dot reaches into records', () => {
    expect(textOfEntry(entry({ text: 'x', tokens: [1] }))).toEqual([1])
    expect(textOfEntry(entry({ text: 'x', tokens: [1] }), { field: 'text' })).toBe('x')
    expect(textOfEntry(entry({ out: { ids: [3n, 4n] } }), { field: 'out.ids' })).toEqual([3, 4])
    expect(textOfEntry(entry([5, 6]))).toEqual([5, 6])
    expect(textOfEntry(entry({ tokens: '[1, 2]' }), { ids: true })).toEqual([1, 2])
    expect(textOfEntry(entry('7 8,9'), { ids: true })).toEqual([7, 8, 9])
  })

  test.each<[unknown, object, string]>([
    [{ body: 'x' }, {}, 'found body; name yours with --field'],
    [{ body: 'x' }, { field: 'boddy' }, "expected a column 'boddy', found the columns body"],
    [{ text: 3 }, {}, 'expected a text or a list of token ids, found 3'],
    ['x', { field: 'text' }, "expected a record with 'text', found 'x'"],
    [{ tokens: '1 x' }, { ids: true }, "expected token ids, got 'x'"],
  ])('%j is refused', (value, options, message) => {
    expect(() => textOfEntry(entry(value), options)).toThrow(message)
    expect(() => textOfEntry(entry(value), options)).toThrow(/^a\.jsonl, line 7: /)
  })

  test('labels', () => {
    const label = (value: unknown, positive?: string) => labelOf(entry({ l: value }), 'l', positive)
    for (const value of [true, 1, '1', 'Yes', 'watermarked', 1n]) expect(label(value)).toBe(true)
    for (const value of [false, 0, '', null, 'human', 'No', 'unwatermarked']) expect(label(value)).toBe(false)
    expect(label('gumbel', 'gumbel')).toBe(true)
    expect(label(null, 'gumbel')).toBe(false)
    expect(() => label('gumbel')).toThrow('say with --positive which label')
    expect(() => label({})).toThrow('expected a label, found an object')
  })
})

test('patterns: sorted, hidden files left out, a file of that name first', () => {
  for (const name of ['g/b.jsonl', 'g/a.jsonl', 'g/.c.jsonl', 'g/sub/d.jsonl', 'g/a.txt', 'g/star*.txt'])
    put(name, '')
  const at = (...names: string[]) => names.map((name) => join(folder, 'g', name))
  expect(expand(join(folder, 'g/*.jsonl'))).toEqual(at('a.jsonl', 'b.jsonl'))
  expect(expand(join(folder, 'g/*/?.jsonl'))).toEqual(at('sub/d.jsonl'))
  expect(expand(join(folder, 'g/star*.txt'))).toEqual(at('star*.txt'))
  put('g/sub/deep/e.jsonl', '')
  const all = ['a.jsonl', 'b.jsonl', 'sub/d.jsonl', 'sub/deep/e.jsonl']
  expect(expand(join(folder, 'g/**/*.jsonl'))).toEqual(at(...all))
  expect(expand('-')).toEqual(['-'])
  expect(() => expand(join(folder, 'g/*.csv'))).toThrow('no file matches')
})
