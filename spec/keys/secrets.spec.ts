/** Secret keys: copied, told apart, kept out of errors. */

import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test, vi } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { gumbel } from '../../src/watermarks/entry.ts'
import { secretIntegers } from '../../src/watermarks/published/secret.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const word = (key: string | Uint8Array, domain = 'a domain') => keySchedule(key, domain).random([1]).uint32(0)
const long = 'x'.repeat(100)

test('the bytes of the caller are copied', () => {
  const key = bytes('a secret key of bytes')
  const schedule = keySchedule(key, 'a domain')
  key.fill(0)
  expect(schedule.key).toEqual(bytes('a secret key of bytes'))
})

const format = { name: 'key', count: 1, bits: 63 }

describe('keys that differ give different keys', () => {
  const groups: [string, (string | Uint8Array)[]][] = [
    ['zero bytes at the end', ['secret', 'secret\0', 'secret\0\0', '\0', '\0\0']],
    ['a long key and its hash', [long, sha256(bytes(long)), `${long}\0`]],
    [
      'exactly a block, and padded to it',
      ['y'.repeat(64), 'y'.repeat(65), `${'y'.repeat(63)}\0`, 'y'.repeat(63)],
    ],
  ]
  test.each(groups)('%s', (_, keys) => {
    expect(new Set(keys.map((key) => word(key))).size).toBe(keys.length)
    const integers = keys.map(
      (key) => secretIntegers(Uint8Array.of(255, ...(typeof key === 'string' ? bytes(key) : key)), format)[0],
    )
    expect(new Set(integers).size).toBe(keys.length)
  })

  test('text and its UTF-8 bytes are one key', () => {
    for (const key of ['secret', 'secret\0', long, 'é'.repeat(50)]) expect(word(key)).toBe(word(bytes(key)))
  })
})

describe('errors never show a key', () => {
  const digits = 987654321987654321n
  const secret = 'TOPSECRET'
  const wrong: [string, unknown][] = [
    ['an array of its bytes', [...bytes(secret)]],
    ['an array of its characters', [...secret]],
    ['a bigint', digits],
    ['a number', 987654321],
    ['an object', { [secret]: secret }],
    ['another typed array', Uint16Array.from(bytes(secret))],
    ['a lone surrogate', `${secret}\ud800`],
    ['too long', secret.repeat(200_000)],
    ['a promise', Promise.resolve(secret)],
  ]
  test.each(wrong)('%s', (_, key) => {
    let message = ''
    try {
      detect(gumbel(), [1, 2, 3], { key: key as string, vocabSize: 10 })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/^key: expected /)
    for (const part of [secret, String(digits), '987654321', '84', 'T, O'])
      expect(message).not.toContain(part)
  })
})

test('a short key is warned about once, without showing it', async () => {
  vi.resetModules()
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const fresh = await import('../../src/index.ts')
  const detectWith = (key: string) => fresh.detect(fresh.gumbel(), [1, 2, 3], { key, vocabSize: 10 })
  detectWith('sixteen bytes ok')
  expect(warn).not.toHaveBeenCalled()
  detectWith('short')
  detectWith('brief')
  expect(warn).toHaveBeenCalledTimes(1)
  expect(warn.mock.calls[0]![0]).toMatch(/^uwbench: this key has fewer than 16 bytes/)
  expect(warn.mock.calls[0]![0]).not.toContain('short')
  warn.mockRestore()
})
