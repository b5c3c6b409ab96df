import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test, vi } from 'vitest'
import { chunks } from '../../src/text/corpus/chunks.ts'
import { piecesOf } from '../../src/text/corpus/decode.ts'
import { readLines } from '../../src/text/corpus/lines.ts'
import { packageUrl } from '../../src/text/corpus/parquet.ts'
import { readRows } from '../../src/text/datasets/dataset.ts'
import { all, fileOf, lines } from './files.ts'

const textLines = (path: string, limit?: number) =>
  readLines(path, piecesOf(path, chunks(path)), (line) => line, limit === undefined ? {} : { limit })

const rows = [
  { text: 'a "quoted", Zeile\nüber zwei', n: 1 },
  { text: '', n: 2 },
  { text: '🍕', n: 3 },
]

describe('JSON', () => {
  for (const name of ['a.jsonl', 'a.jsonl.gz', 'a.json.gz', 'a.json'])
    test(`${name}: one object a line; empty lines and CRLF do not matter`, async () => {
      const content = `${lines(...rows).replaceAll('\n', '\r\n')}\n  \n`
      expect(await all(readRows(fileOf(name, content)))).toEqual(rows)
    })

  test('a .json file may be one array', async () => {
    expect(await all(readRows(fileOf('a.json', `\n ${JSON.stringify(rows, null, 2)}`)))).toEqual(rows)
  })

  test('the last line needs no line end', async () => {
    expect(await all(readRows(fileOf('a.jsonl', '{"n":1}\n{"n":2}')))).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('a character cut by the border of two pieces survives', async () => {
    // files are read in pieces of 256 KiB; one of the three offsets puts the border inside a character of three bytes.
    for (const pad of [0, 1, 2]) {
      const text = 'x'.repeat(pad) + '語'.repeat(240_000)
      expect(await all(readRows(fileOf('a.jsonl', lines({ text }))))).toEqual([{ text }])
    }
  })

  test('time is linear in the length of a line', async () => {
    // one line takes about as long as sixteen of a sixteenth; joining each piece on arrival, about sixteen times as long
    const work = async (length: number, times: number) => {
      const path = fileOf('a.jsonl', `{"text":"${'x'.repeat(length)}"}`)
      const began = process.cpuUsage() // not the time on the wall: machines are busy with other things
      for (let i = 0; i < times; i++)
        for await (const { value } of textLines(path)) expect((value as string).length).toBe(length + 11)
      const { user, system } = process.cpuUsage(began)
      return user + system
    }
    await work(2 ** 22, 1)
    const [short, long] = [await work(2 ** 22, 16), await work(2 ** 26, 1)]
    expect(long / short).toBeLessThan(8)
  })

  test('a line over the limit is refused by file and number, before it is held', async () => {
    const path = fileOf('a.jsonl', `{"n":1}\n${'x'.repeat(300_000)}\n{"n":2}\n`)
    await expect(all(textLines(path, 200_000))).rejects.toThrow(
      /a\.jsonl, line 2: expected a line of at most 200000 characters, found a longer one$/,
    )
  })

  test('a bad line is named by file and number', async () => {
    await expect(all(readRows(fileOf('a.jsonl', '{"n":1}\n\n{"n":')))).rejects.toThrow(/a\.jsonl, line 3: /)
    await expect(all(readRows(fileOf('a.jsonl', '[1]')))).rejects.toThrow(
      'line 1: expected a JSON object, found [1]',
    )
  })

  test('bytes that are no UTF-8 and damaged archives name the file', async () => {
    await expect(all(readRows(fileOf('a.jsonl', new Uint8Array([0x22, 0xff]))))).rejects.toThrow('a.jsonl: ')
    const path = fileOf('a.jsonl.gz', '')
    writeFileSync(path, gzipSync(lines(...rows)).subarray(0, 30))
    await expect(all(readRows(path))).rejects.toThrow(
      'a.jsonl.gz: a damaged gzip archive (unexpected end of file)',
    )
  })

  for (const name of ['big.jsonl', 'big.jsonl.gz'])
    test(`${name}: stopping early reads no further and closes the file`, async () => {
      const good = Array.from({ length: 50_000 }, (_, n) => JSON.stringify({ n })).join('\n')
      const path = fileOf(name, `${good}\n{"damaged":\n`)
      for await (const row of readRows(path)) {
        expect(row).toEqual({ n: 0 })
        break
      }
      await vi.waitFor(() => expect(openDescriptors(path)).toBe(0))
      await expect(all(readRows(path))).rejects.toThrow('line 50001')
    })
})

/** How often this process has a file open; only Linux tells, elsewhere 0. */
const openDescriptors = (path: string): number =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`) === path
        } catch {
          return false // the descriptor of this very listing
        }
      }).length
    : 0

describe('CSV', () => {
  const csv = async (content: string) => all(readRows(fileOf('a.csv', content)))

  test('quotes, doubled quotes, commas and line ends in fields, CRLF, a byte order mark', async () => {
    expect(await csv('\uFEFFid,text\r\n1,"a, ""b""\r\nc"\r\n2,plain \'text\'\r\n\r\n3,""')).toEqual([
      { id: '1', text: 'a, "b"\r\nc' },
      { id: '2', text: "plain 'text'" },
      { id: '3', text: '' },
    ])
  })

  test('empty fields at the end of a record', async () => {
    expect(await csv('a,b,c\n1,,\n,,')).toEqual([
      { a: '1', b: '', c: '' },
      { a: '', b: '', c: '' },
    ])
  })

  test('what is wrong is said with its line', async () => {
    await expect(csv('a,b\n1,2\n3\n')).rejects.toThrow('a.csv, line 3: expected 2 fields, found 1')
    await expect(csv('a,b\n"1\n2",3,4\n')).rejects.toThrow('line 2: expected 2 fields, found 3')
    await expect(csv('a\n"b"c\n')).rejects.toThrow("line 2: found 'c' after a closing quote")
    await expect(csv('a\nb\n"c\n\n')).rejects.toThrow(
      'the quote opened in the record of line 3 is never closed',
    )
  })

  test('reads back whatever was written by the rules', async () => {
    const field = fc.string({ unit: fc.constantFrom(...'ab", \n\r;ü🍕'), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(field, field), { maxLength: 5 }), async (records) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
        const content = [['x', 'y'], ...records].map((record) => record.map(quote).join(',')).join('\r\n')
        expect(await csv(content)).toEqual(records.map(([x, y]) => ({ x, y })))
      }),
    )
  })
})

describe('parquet', () => {
  const content = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['a', 'b', 'c', 'd', 'e'], type: 'STRING' },
        { name: 'n', data: [1, 2, 3, 4, 5], type: 'INT32' },
      ],
      rowGroupSize: 2,
    }),
  )

  test('rows over several row groups, in order', async () => {
    const expected = ['a', 'b', 'c', 'd', 'e'].map((id, i) => ({ id, n: i + 1 }))
    expect(await all(readRows(fileOf('a.parquet', content)))).toEqual(expected)
  })

  test('a file that is no parquet is named', async () => {
    await expect(all(readRows(fileOf('a.parquet', 'not parquet at all')))).rejects.toThrow('a.parquet: ')
  })

  test('without hyparquet: an error that says what to install', () => {
    const elsewhere = pathToFileURL(fileOf('elsewhere.js', '')).href
    expect(() => packageUrl('a.parquet', elsewhere)).toThrow(
      'a.parquet: reading parquet needs the package hyparquet; install it with: npm install hyparquet',
    )
  })
})

test('an unknown format lists the known ones', async () => {
  await expect(all(readRows('data.xlsx'))).rejects.toThrow('path: expected a file that ends in .jsonl')
})

test('a missing file is named', async () => {
  const path = fileOf('a.jsonl', '')
  for (const gone of [`${path}x.jsonl`, `${path}x.jsonl.gz`])
    await expect(all(readRows(gone))).rejects.toThrow(`${gone}: no such file`)
})
