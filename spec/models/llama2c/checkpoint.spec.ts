import { describe, expect, test } from 'vitest'
import { readCheckpoint, type Sizes } from '../../../src/text/models/llama2c/checkpoint.ts'
import { concat, TINY, tinyCheckpoint } from './tiny.ts'

const bytes = tinyCheckpoint()

test('tensors follow the header one after the other; what comes after is left alone', () => {
  const { sizes, byteLength, ...tensors } = readCheckpoint(concat(bytes, new Uint8Array(100)))
  expect(sizes).toEqual(TINY)
  expect(byteLength).toBe(bytes.length)
  const floats = Object.values(tensors).flatMap((tensor) => Array.from(tensor))
  expect(floats).toEqual(Array.from(new Float32Array(bytes.slice(28).buffer)))
  expect(tensors.sines.slice(0, 4)).toEqual(new Float32Array(4))
})

test('bytes that are not aligned are read as well', () => {
  const shifted = concat(Uint8Array.of(0), bytes).subarray(1)
  expect(readCheckpoint(shifted)).toEqual(readCheckpoint(bytes))
})

describe('errors in one line', () => {
  const header = (changes: Partial<Sizes>): Uint8Array =>
    concat(new Uint8Array(Int32Array.from(Object.values({ ...TINY, ...changes })).buffer), bytes.subarray(28))

  test('a truncated checkpoint', () => {
    const size = bytes.length
    expect(() => readCheckpoint(bytes.subarray(0, -1))).toThrow(
      `checkpoint: expected ${size} bytes, by its header, got '${size - 1} bytes'`,
    )
    expect(() => readCheckpoint(bytes.subarray(0, 27))).toThrow(
      "checkpoint: expected a header of 28 bytes, got '27 bytes'",
    )
  })

  test.each([
    { heads: 5 },
    { heads: 24 },
    { keyValueHeads: 1 },
    { vocabSize: -300 },
    { layers: 0 },
    { positions: 1 << 30 },
  ])('a wrong header: %o', (changes) => {
    expect(() => readCheckpoint(header(changes))).toThrow(
      /^checkpoint header: expected positive sizes, heads of even width .*, got width 24, .*, positions \d+$/,
    )
  })

  test('a file of another kind', () => {
    expect(() => readCheckpoint(new TextEncoder().encode('GGUF'.repeat(10)))).toThrow(
      /^checkpoint header: expected/,
    )
  })
})
