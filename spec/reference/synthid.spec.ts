import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  synthidContextMask,
  synthidGValues,
  synthidHashIv,
  synthidSamplingTable,
} from '../../src/watermarks/published/index.ts'
import { absorb, register, remainder, shiftRight } from '../../src/watermarks/published/lcg64.ts'
import { vectors } from './vectors.ts'

describe('Hugging Face Transformers', () => {
  const v = vectors.synthid_hf
  const options = {
    flavor: 'huggingface' as const,
    keys: v.keys,
    ngramLength: v.ngram_len,
    tokens: v.token_ids,
    samplingTableSize: v.sampling_table_size,
    samplingTableSeed: v.sampling_table_seed,
  }
  test('sampling table', () => {
    const table = synthidSamplingTable(v.sampling_table_size, v.sampling_table_seed)
    expect(Array.from(table.slice(0, 64))).toEqual(v.sampling_table_first64)
    expect(table.reduce((sum, bit) => sum + bit, 0)).toBe(v.sampling_table_sum)
  })
  test('g-values', () => expect(synthidGValues(options)).toEqual(v.g_values))
  test('context repetition mask', () =>
    expect(synthidContextMask(options)).toEqual(v.context_repetition_mask))
})

describe('google-deepmind', () => {
  const v = vectors.synthid_google
  const options = {
    flavor: 'google' as const,
    keys: v.keys,
    ngramLength: v.ngram_len,
    tokens: v.token_ids,
  }
  test('initial value', () => expect(String(synthidHashIv(v.keys))).toBe(v.hash_iv))
  test('g-values', () => expect(synthidGValues(options)).toEqual(v.g_values))
  test('context repetition mask', () =>
    expect(synthidContextMask(options)).toEqual(v.context_repetition_mask))
})

describe('the two-limb hash is the 64-bit one', () => {
  const word = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const value = (r: Int32Array) => (BigInt(r[1]!) << 32n) | BigInt(r[0]! >>> 0)
  test('absorb', () => {
    const step = (h: bigint, x: bigint) => BigInt.asIntN(64, (h + x) * 6364136223846793005n + 1n)
    // The product's lower limb is all ones, so the increment carries: h = M^-1 (2^32 - 1) mod 2^64.
    const carries = BigInt.asIntN(64, -4568919932995229531n * (2n ** 32n - 1n))
    fc.assert(
      fc.property(word, word, (h, x) => {
        const [from, data, into] = [register(h), register(x), new Int32Array(2)]
        absorb(into, from, data[0]!, data[1]!)
        expect(value(into)).toBe(step(h, x))
      }),
      {
        examples: [
          [-1n, -1n],
          [0n, -1n],
          [2n ** 32n - 1n, 1n],
          [carries, 0n],
        ],
      },
    )
    expect(BigInt.asUintN(32, step(carries, 0n))).toBe(0n)
  })
  test('shift and remainder', () => {
    fc.assert(
      fc.property(
        word,
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 1, max: 2 ** 24 }),
        (h, bits, n) => {
          const shifted = register(h)
          shiftRight(shifted, bits)
          expect(value(shifted)).toBe(h >> BigInt(bits))
          const wide = BigInt(n)
          expect(remainder(register(h), n)).toBe(Number(((h % wide) + wide) % wide))
        },
      ),
    )
  })
})

test('the context memory is finite, as published', () => {
  const tokens = [1, 2, 9, 8, 7, 1, 2, 3]
  const mask = (contextHistorySize: number) =>
    synthidContextMask({ flavor: 'huggingface', keys: [5], ngramLength: 3, tokens, contextHistorySize })
  // The context (1, 2) of n-gram 0 comes back at n-gram 5, five positions later.
  expect(mask(5)).toEqual([1, 1, 1, 1, 1, 0])
  expect(mask(4)).toEqual([1, 1, 1, 1, 1, 1])
  expect(mask(0)).toEqual([1, 1, 1, 1, 1, 1])
})

test('a text shorter than an n-gram has no g-values; wrong arguments are named', () => {
  const options = { flavor: 'google' as const, keys: [5], ngramLength: 5, tokens: [1, 2, 3, 4] }
  expect(synthidGValues(options)).toEqual([])
  expect(synthidContextMask(options)).toEqual([])
  expect(() => synthidGValues({ ...options, keys: [] })).toThrow(/keys/)
  expect(() => synthidGValues({ ...options, keys: [0.5] })).toThrow(/keys\[0\]/)
  expect(() => synthidGValues({ ...options, tokens: [1, -1] })).toThrow(/tokens\[1\]/)
  expect(() => synthidGValues({ ...options, flavor: 'openai' as 'google' })).toThrow(/flavor/)
})
