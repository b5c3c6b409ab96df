import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { philox, philoxWord, vllmSubkey } from '../../src/watermarks/published/philox.ts'

const golden = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/vllm-philox.json', import.meta.url), 'utf8'),
) as {
  words: { key: string; context: number[]; token: number; word: number; mantissa: number; uniform: number }[]
  derived_keys: { key: string; domain: 'key_a' | 'key_b'; derived: string }[]
}

describe('philox4x32-10', () => {
  test('gives the published vectors of Random123', () => {
    const words = (counter: number[], low: number, high: number) =>
      [...philox(Uint32Array.from(counter), low, high)].map((word) => word >>> 0)
    expect(words([0, 0, 0, 0], 0, 0)).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])
    const ones = Array<number>(4).fill(0xffffffff)
    expect(words(ones, 0xffffffff, 0xffffffff)).toEqual([0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd])
  })

  test('gives the words, mantissas and uniforms of vLLM', () => {
    for (const { key, context, token, word, mantissa, uniform } of golden.words) {
      const drawn = philoxWord({ key: BigInt(key), context, token })
      expect(drawn).toBe(word)
      expect(drawn >>> 8).toBe(mantissa)
      expect(Math.fround(((drawn >>> 8) + 1) / (2 ** 24 + 1))).toBe(uniform)
    }
  })

  test("gives vLLM's own compatibility vector", () => {
    const mantissas = [
      [1, 2, 3, 4],
      [4, 5, 6, 7],
    ].map((context) => [7, 8].map((token) => philoxWord({ key: 42n, context, token }) >>> 8))
    expect(mantissas).toEqual([
      [1661833, 10571167],
      [9742331, 13375724],
    ])
  })

  test('derives the subkeys of the dual-key watermark', () => {
    for (const { key, domain, derived } of golden.derived_keys)
      expect(vllmSubkey(BigInt(key), domain)).toBe(BigInt(derived))
  })

  test('refuses a key beyond 64 bits without printing it', () => {
    expect(() => philoxWord({ key: 2n ** 64n, context: [1], token: 1 })).toThrow(/^key: expected a bigint/)
    expect(() => philoxWord({ key: 2n ** 64n, context: [1], token: 1 })).not.toThrow(/18446744073709551616/)
  })
})
