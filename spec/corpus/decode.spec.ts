import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf, textOf } from '../../src/text/corpus/decode.ts'

async function decoded(...chunks: Uint8Array[]): Promise<string> {
  let text = ''
  for await (const piece of textOf(piecesOf('a.txt', chunks))) text += piece
  return text
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const utf16 = (text: string, big = false): Uint8Array => {
  const buffer = Buffer.from(`\ufeff${text}`, 'utf16le')
  return new Uint8Array(big ? buffer.swap16() : buffer)
}

describe('what is read', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((one) => !one.includes('\0') && !one.startsWith('\ufeff'))
  const encodings: [string, (text: string) => Uint8Array][] = [
    ['UTF-8', bytes],
    ['UTF-8 with a byte order mark', (one) => bytes(`\ufeff${one}`)],
    ['UTF-16, little-endian', (one) => utf16(one)],
    ['UTF-16, big-endian', (one) => utf16(one, true)],
    ['gzip', (one) => new Uint8Array(gzipSync(one))],
    ['UTF-16 in gzip', (one) => new Uint8Array(gzipSync(utf16(one)))],
  ]
  test.each(encodings)('%s: the same text', async (_, encode) => {
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), async (one, cut) => {
        const all = encode(one)
        const at = cut % (all.length + 1)
        expect(await decoded(all.subarray(0, at), all.subarray(at))).toBe(one)
        expect(await decoded(...Array.from(all, (byte) => Uint8Array.of(byte)))).toBe(one)
      }),
      { numRuns: 60 },
    )
  })
  test('pieces of ASCII among others: a mark within the text stays, a character may be cut', async () => {
    expect(await decoded(bytes('ascii first'), bytes('\ufeffthen'), bytes('more'))).toBe(
      'ascii first\ufeffthenmore',
    )
    const [start, end] = [bytes('text \u00e9').subarray(0, -1), bytes('\u00e9').subarray(1)]
    expect(await decoded(start, end, bytes('ascii'))).toBe('text \u00e9ascii')
    await expect(decoded(bytes('begin'), start, bytes('ascii'))).rejects.toThrow('a.txt: expected UTF-8 text')
  })
})

describe('what is refused, by name', () => {
  const latin1 = new Uint8Array(Buffer.from('Un été à la plage', 'latin1'))
  test.each<[string, Uint8Array, string]>([
    ['Latin-1', latin1, 'expected UTF-8 text, found other bytes'],
    [
      'UTF-16 without a mark',
      new Uint8Array(Buffer.from('Call me', 'utf16le')),
      'UTF-16 without a byte order',
    ],
    ['UTF-32', new Uint8Array([0xff, 0xfe, 0, 0, 65, 0, 0, 0]), 'found UTF-32'],
    ['half of a surrogate pair', new Uint8Array([0xff, 0xfe, 0x00, 0xd8, 65, 0]), 'expected UTF-16LE text'],
    [
      'a cut gzip archive',
      new Uint8Array(gzipSync('Call me Ishmael')).subarray(0, 20),
      'damaged gzip archive',
    ],
    ['zip', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]), 'found a zip file'],
    ['zstd', new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 4]), 'found a zstd file'],
    ['PDF', bytes('%PDF-1.7\n'), 'found a PDF file'],
    ['parquet in gzip', new Uint8Array(gzipSync('PAR1....')), 'found a parquet file'],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 0, 0]), 'found NUL characters'],
    ['a character cut at the end', bytes('é').subarray(0, 1), 'expected UTF-8 text'],
  ])('%s', async (_, content, message) => {
    await expect(decoded(content)).rejects.toThrow(message)
    await expect(decoded(content)).rejects.toThrow(/^a\.txt: /)
  })
})
