import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/core/keys/stream.ts'
import type { Tokenizer } from '../../../src/text/decode/language-model.ts'
import { readVocabulary, tokenizerJson } from '../../../src/text/models/llama2c/tokenizer.ts'
import { loadTokenizer } from '../../../src/text/models/load-tokenizer.ts'
import { encoder } from './sentencepiece.ts'
import { tinyPieces, tokenizerBin } from './tiny.ts'

type Pieces = [piece: string, score: number][]

/** The tokenizer that transformers.js makes of a tokenizer.bin, and the plain one. */
async function both(pieces: Pieces): Promise<{ tokenizer: Tokenizer; plain: (text: string) => number[] }> {
  const vocabulary = readVocabulary(tokenizerBin(pieces), 259 + pieces.length)
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-tokenizer-'))
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerJson(vocabulary)))
  await writeFile(join(folder, 'tokenizer_config.json'), '{"tokenizer_class":"LlamaTokenizer"}')
  const { tokenizer } = await loadTokenizer(folder)
  await rm(folder, { recursive: true })
  return { tokenizer, plain: encoder(vocabulary) }
}

describe('a small vocabulary', () => {
  test('joins the best pairs, with a space in front and bytes for what it does not have', async () => {
    const { tokenizer } = await both(tinyPieces)
    const id = (piece: string) => 259 + tinyPieces.findIndex(([other]) => other === piece)
    expect(tokenizer.encode('the cat')).toEqual([id(' the'), id(' cat')])
    expect(tokenizer.encode('heat')).toEqual([id(' '), id('he'), id('at')])
    expect(tokenizer.encode('A\n')).toEqual([id(' '), 0x41 + 3, 0x0a + 3])
    expect(tokenizer.encode('é猫')).toEqual([id(' '), id('é'), id('猫')])
    expect(tokenizer.encode('犬')).toEqual([id(' '), 0xe7 + 3, 0x8a + 3, 0xac + 3])
    expect(tokenizer.encodePrompt('the')).toEqual([1, id(' the')])
    expect(tokenizer.encode('')).toEqual([])
    expect(tokenizer.encodePrompt('')).toEqual([1])
  })

  test('decode inverts encode on any text', async () => {
    const { tokenizer } = await both(tinyPieces)
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(text, (value) => {
        // U+2581 is how sentencepiece writes a space
        const written = value.replaceAll('\u2581', ' ')
        expect(tokenizer.decode(tokenizer.encode(value))).toBe(written)
      }),
      { numRuns: 500 },
    )
  })
})

/** BPE learned from random text over a few letters, spaces only in front: pieces that overlap in many ways. */
function learned(letters: string, count: number, seed: number): Pieces {
  const stream = seededRandom(seed, 'learned pieces')
  const words = Array.from({ length: 60 }, () =>
    Array.from({ length: 12 }, () => letters[stream.below(letters.length)]!),
  )
  const pieces: Pieces = []
  while (pieces.length < count) {
    const counts = new Map<string, number>()
    for (const word of words)
      for (const [i, left] of word.slice(0, -1).entries()) {
        const joined = left + word[i + 1]!
        if (!joined.includes(' ', 1)) counts.set(joined, (counts.get(joined) ?? 0) + 1)
      }
    if (counts.size === 0) break
    const [piece] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))
    if (!pieces.some(([known]) => known === piece)) pieces.push([piece, -1 - pieces.length])
    for (const word of words)
      for (let i = 0; i + 1 < word.length; i++)
        if (word[i]! + word[i + 1]! === piece) word.splice(i, 2, piece)
  }
  const runs = [1, 2, 3, 4, 5, 6, 7, 8].map((n): [string, number] => [' '.repeat(n), -1e9])
  const single = Array.from(letters.trim(), (letter, i): [string, number] => [letter, -500 - i])
  return [...pieces, ...runs, ...single]
}

describe.each([
  ['ab ', 40],
  ['abc ', 80],
  ['aé ', 25],
  ['-=', 30],
])('pieces learned over %o agree with sentencepiece', (letters, count) => {
  test.each([1, 2, 3, 4, 5])('vocabulary %i', async (seed) => {
    const { tokenizer, plain } = await both(learned(letters, count, seed))
    const unit = fc.constantFrom(...letters, ' ', 'x')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        expect(tokenizer.encode(text)).toEqual(plain(text))
      }),
      { numRuns: 1000 },
    )
  })
})

test('runs of spaces grow from the left', async () => {
  const { tokenizer, plain } = await both(tinyPieces)
  for (let n = 0; n < 40; n++)
    for (const text of [' '.repeat(n), `the${' '.repeat(n)}cat`])
      expect(tokenizer.encode(text)).toEqual(plain(text))
})

describe('errors in one line', () => {
  const bytes = tokenizerBin(tinyPieces)
  const size = 259 + tinyPieces.length

  test('a truncated file, and one with fewer pieces than the model', () => {
    const message = (got: string) => `tokenizer.bin: expected ${size} pieces, got '${got}'`
    expect(() => readVocabulary(bytes.subarray(0, -1), size)).toThrow(
      message(`${size - 1} whole ones in ${bytes.length - 1} bytes`),
    )
    expect(() => readVocabulary(new Uint8Array(0), size)).toThrow(message('0 whole ones in 0 bytes'))
    expect(() => readVocabulary(bytes, size + 1)).toThrow(/expected \d+ pieces, got '\d+ whole ones/)
  })

  test('a length that is negative', () => {
    const broken = Uint8Array.from(bytes)
    broken.fill(0xff, 8, 12)
    expect(() => readVocabulary(broken, size)).toThrow(/got '0 whole ones/)
  })

  test('a vocabulary without pieces', () => {
    expect(() => readVocabulary(bytes, 100)).toThrow('tokenizer.bin: expected more than 259 pieces, got 100')
  })
})
