/**
 * Reading lists of token ids from bytes gives what JSON.parse gives, or leaves the line to it. Lines come from a grammar that goes for the
 * weak spots (keys twice, escaped, nested; brackets in strings; numbers at the edges of the grammar of JSON), and most are then damaged.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf, textOf } from '../../src/text/corpus/decode.ts'
import { jsonLines } from '../../src/text/corpus/lines.ts'
import { PackedLists } from '../../src/text/corpus/packed-lists.ts'

const unpacked = (value: unknown): unknown => {
  if (value instanceof Int32Array) return Array.from(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // entries, not a copy: a key may be __proto__, and the order of keys counts
  return Object.entries(value).map(([key, held]) => [key, held instanceof Int32Array ? [...held] : held])
}

function parsed(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) }
  } catch {
    return undefined
  }
}

function packed(line: string, lists = new PackedLists()): unknown {
  const bytes = Buffer.from(`${line}\n`)
  return lists.valueOf(bytes, 0, bytes.length - 1)
}

const space = fc.constantFrom('', '', '', ' ', '\t', '\r', '  ')
const key = fc.constantFrom(
  'tokens',
  'tokens',
  'id',
  'tok\\u0065ns',
  '__proto__',
  '1',
  '',
  'a\\\\b',
  '\\"',
  'é',
)
const number = fc.oneof(
  fc.nat(60_000).map(String),
  fc.constantFrom('0', '00', '01', '-1', '-0', '1.0', '1e2', '.5', '1.', '+1', '999999999', '1000000000'),
  fc.constantFrom('2147483648', '99999999999999999999', 'null', '""', '"1"', '[]', '{}', 'NaN', '٣'),
)
const list = fc
  .tuple(
    space,
    fc.array(fc.tuple(space, fc.oneof({ weight: 9, arbitrary: fc.nat(60_000).map(String) }, number), space)),
  )
  .map(([before, items]) => `[${before}${items.map((item) => item.join('')).join(',')}]`)
const scalar = fc.oneof(
  number,
  fc.constantFrom(
    'true',
    '"]"',
    '"}\\""',
    '"\\\\"',
    '"\\u005d"',
    '"tokens\\":[1]"',
    '"\u2028é😀"',
    '"\t"',
    "'x'",
  ),
)
const { record } = fc.letrec<{ record: string; value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    list,
    scalar,
    tie('record'),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
  ),
  record: fc
    .array(fc.tuple(space, key, space, space, tie('value'), space), { maxLength: 5 })
    .map((members) => `{${members.map(([a, k, b, c, v, d]) => `${a}"${k}"${b}:${c}${v}${d}`).join(',')}}`),
}))
const damage = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(2),
    fc.constantFrom(...'[]{},:"\\ 0159.-e\t\r\u0000é'),
  ),
  { maxLength: 3 },
)
/** A line, most often no longer JSON: characters put in or taken out. */
const line = fc
  .tuple(space, fc.oneof({ weight: 4, arbitrary: record }, list, fc.json(), fc.string()), space, damage)
  .map(([before, text, after, harms]) =>
    harms
      .reduce((damaged, [where, cut, put]) => {
        const at = Math.floor(where * damaged.length)
        return damaged.slice(0, at) + (cut === 2 ? '' : put) + damaged.slice(at + cut)
      }, `${before}${text}${after}`)
      .replaceAll('\n', ' '),
  )

describe('lists of whole numbers, read from bytes', () => {
  test('any line: what JSON.parse gives, or nothing', () => {
    const lists = new PackedLists()
    fc.assert(
      fc.property(line, (text) => {
        const value = packed(text, lists)
        if (value !== undefined) expect(unpacked(value)).toEqual(unpacked(parsed(text)?.value))
      }),
      { numRuns: 20_000 },
    )
  })

  test('lists of one line are not those of the next', () => {
    const lists = new PackedLists()
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(999_999_999)), { maxLength: 20 }), (all) => {
        const read = all.map((tokens) => packed(JSON.stringify({ id: 'x', tokens, more: tokens }), lists))
        expect(read.map(unpacked)).toEqual(all.map((tokens) => unpacked({ id: 'x', tokens, more: tokens })))
      }),
    )
    const long = Array.from({ length: 200_000 }, (_, i) => i)
    expect(packed(JSON.stringify(long), lists)).toEqual(Int32Array.from(long))
  })

  test.each([
    '{"id":"a","tokens":[5,0,50256]}',
    ' { "tokens" : [ 1 , 2 ] , "text" : "[\\"}" } ',
    '{"nested":{"tokens":[9.5]},"tokens":[1]}',
    '{"__proto__":[1],"tokens":[]}',
    '[1,2,3]\r',
  ])('is read: %s', (text) => {
    expect(unpacked(packed(text))).toEqual(unpacked(JSON.parse(text)))
  })

  test.each([
    // valid, and for JSON.parse to read
    '{"text":"no list"}',
    '{"tokens":[1],"tokens":"x"}',
    '{"tokens":[1],"tokens":[2]}',
    '{"tokens":[1],"tok\\u0065ns":[]}',
    '{"tok\\u0065ns":[1]}',
    '{"tokens":[1000000000]}',
    '{"tokens":[-1]}',
    '{"tokens":[1.0]}',
    '{"nested":{"tokens":[1]}}',
    '"{\\"tokens\\":[1]}"',
    // not JSON: the list is, the line is not
    '{"tokens":[1].5}',
    '{"tokens":[1]5}',
    '{"tokens":[1]}]',
    '{"tokens":[1],}',
    '{"a":"b" "tokens":[1]}',
    '{"a":tru,"tokens":[1]}',
    '{"a":"\t","tokens":[1]}',
    '{"a":{]},"tokens":[1]}',
    '{tokens:[1]}',
    '{"tokens":[1',
    '{"tokens":[01]}',
    '{"tokens":[1,]}',
    '{"tokens":[,1]}',
    '{"tokens":[1 2]}',
    '{"a":"\\',
    '[1,2]]',
  ])('is left to JSON.parse: %s', (text) => {
    expect(packed(text)).toBeUndefined()
  })
})

/** All values, and the error that ends them. */
async function outcome(pieces: AsyncIterable<string | Buffer>, asPacked: boolean): Promise<unknown[]> {
  const found: unknown[] = []
  try {
    for await (const { where, line: number, value } of jsonLines('a.jsonl', pieces, asPacked))
      found.push([where, number, unpacked(value)])
  } catch (error) {
    found.push((error as Error).message)
  }
  return found
}

test('a file in any pieces: the same entries and errors as from its text', async () => {
  const valid = line.filter((text) => parsed(text) !== undefined)
  const file = fc.tuple(
    fc.array(fc.oneof({ weight: 9, arbitrary: valid }, fc.constantFrom('', ' ', '\u00a0'), line)),
    fc.boolean(),
  )
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.array(fc.nat(300)),
      fc.constantFrom('\n', '\r\n'),
      async ([texts, ended], cuts, end) => {
        const text = texts.join(end) + (ended ? end : '')
        if (text.includes('\0')) return
        const bytes = Buffer.from(text)
        const borders = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = borders.slice(1).map((to, i) => new Uint8Array(bytes.subarray(borders[i]!, to)))
        const plain = await outcome(textOf(piecesOf('a.jsonl', [bytes])), false)
        expect(await outcome(piecesOf('a.jsonl', chunks), true)).toEqual(plain)
        expect(await outcome(piecesOf('a.jsonl', chunks), false)).toEqual(plain)
      },
    ),
    { numRuns: 1000 },
  )
})
