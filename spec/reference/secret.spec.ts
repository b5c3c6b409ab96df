import { describe, expect, test } from 'vitest'
import { detect, synthid } from '../../src/index.ts'
import { publishedKey, vllmKey } from '../../src/watermarks/published/key.ts'
import { perKey, secretIntegers } from '../../src/watermarks/published/secret.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const one = (bits: number) => ({ name: 'hashing key', count: 1, bits })
const layers = (count: number) => ({ name: 'layer keys', count, bits: 63 })

test('a key that reads as integers is those integers', () => {
  expect(secretIntegers(bytes('15485863'), one(63))).toEqual([15485863n])
  expect(secretIntegers(bytes(' 654, 400 836\n'), layers(3))).toEqual([654n, 400n, 836n])
})

test.each(['[654, 400, 836]', '(654, 400, 836)', '[654 400 836]', '[654,400,836,]', ' [ 654, 400,\n 836 ] '])(
  'the spelling of Python is read: %s',
  (text) => expect(secretIntegers(bytes(text), layers(3))).toEqual([654n, 400n, 836n]),
)

test('bytes that are no text are hashed: fixed values, one per place, per purpose and per key', () => {
  const random = Uint8Array.of(255, ...bytes('secret'))
  const secret = secretIntegers(random, layers(30))
  expect(new Set(secret).size).toBe(30)
  expect(secret.every((value) => value >= 0n && value < 2n ** 63n)).toBe(true)
  expect(secretIntegers(random, layers(30))).toEqual(secret)
  expect(secretIntegers(random, layers(2))).toEqual(secret.slice(0, 2))
  expect(secretIntegers(random, one(63))[0]).not.toBe(secret[0])
  expect(secretIntegers(Uint8Array.of(255, ...bytes('Secret')), layers(1))[0]).not.toBe(secret[0])
  expect(secretIntegers(new Uint8Array([255, 49]), one(32))[0]).toBeLessThan(2n ** 32n)
})

test('eight bytes that are no text are a 64-bit key, big-endian', () => {
  const format = { ...one(64), bytes: 8 }
  expect(secretIntegers(Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 2), format)).toEqual([258n])
  expect(secretIntegers(bytes('12345678'), format)).toEqual([12345678n])
  expect(() => secretIntegers(bytes('password'), format)).toThrow(/got other text/)
})

test.each([
  'secret',
  '7;8',
  '-7',
  '0x7f',
  '1.5',
  '1e9',
  '[7654, 4002',
  '7654, 4002]',
  '[[1], [2]]',
  'tensor([1])',
  '',
  '[]',
  ',',
  '1,,2',
])('other text is refused, not hashed, and not shown: %j', (text) => {
  const read = () => secretIntegers(bytes(text), layers(2))
  expect(read).toThrow(/^key: expected 2 layer keys/)
  if (text.length > 3) expect(read).not.toThrow(text)
})

test('integers that do not fit are refused, not hashed', () => {
  expect(() => secretIntegers(bytes('1,2,3'), layers(2))).toThrow(
    /^key: expected 2 layer keys.*got 3 integers$/,
  )
  expect(() => secretIntegers(bytes('7'), layers(2))).toThrow(/got 1 integer$/)
  expect(() => secretIntegers(bytes('4294967296'), one(32))).toThrow(/below 2\^32/)
})

describe('publishedKey', () => {
  test('takes integers, arrays of them, and what Python prints', () => {
    expect(publishedKey(15485863)).toBe('15485863')
    expect(publishedKey(2n ** 63n - 1n)).toBe('9223372036854775807')
    expect(publishedKey([654, 400n, 836])).toBe('654, 400, 836')
    expect(publishedKey('[654, 400, 836]')).toBe('654, 400, 836')
    expect(publishedKey('15485863')).toBe('15485863')
  })

  test('copies bytes', () => {
    const key = Uint8Array.of(1, 2, 3)
    const copy = publishedKey(key)
    key.fill(0)
    expect(copy).toEqual(Uint8Array.of(1, 2, 3))
  })

  test.each([
    ['a number that cannot hold it', 2 ** 53 + 2],
    ['a fraction', 4711.5],
    ['a negative number', -4711],
    ['a negative bigint', -4711n],
    ['NaN', Number.NaN],
    ['text', 'secret 4711'],
    ['an empty array', []],
    ['text in an array', ['4711']],
    ['a nested array', [[4711]]],
    ['an object', { key: 4711 }],
    ['null', null],
    ['nothing', undefined],
  ])('refuses %s without showing it', (_, key) => {
    const read = () => publishedKey(key as never)
    expect(read).toThrow(/^key: expected /)
    expect(read).not.toThrow(/4711|9007199254740994/)
    expect(() => vllmKey(key as never)).toThrow(/^key: expected /)
  })

  test('is what detect takes: all spellings of a list find the same', () => {
    const keys = Array.from({ length: 20 }, (_, i) => 600 + 7 * i)
    const tokens = Array.from({ length: 60 }, (_, t) => (t * t) % 997)
    const watermark = synthid({ codes: 'reference' })
    const found = [keys, keys.map(BigInt), `[${keys.join(', ')}]`, keys.join(' ')].map(
      (key) => detect(watermark, tokens, { key: publishedKey(key), vocabSize: 997 }).pValue,
    )
    expect(new Set(found).size).toBe(1)
    const python = { key: `[${keys.join(', ')}]`, vocabSize: 997 }
    expect(detect(watermark, tokens, python).pValue).toBe(found[0])
    expect(() => detect(watermark, tokens, { key: 'secret list', vocabSize: 997 })).toThrow(/20 layer keys/)
  })
})

test('vllmKey: 64 bits as text', () => {
  expect(vllmKey('18446744073709551615')).toBe('18446744073709551615')
  expect(vllmKey(2n ** 64n - 1n)).toBe('18446744073709551615')
  expect(vllmKey(new Uint8Array(8).fill(255))).toBe('18446744073709551615')
  expect(vllmKey(42)).toBe('42')
  for (const key of [2n ** 64n, new Uint8Array(7), '1, 2', [1]])
    expect(() => vllmKey(key as never)).toThrow(/^key: expected /)
})

test('perKey makes a value once per key object', () => {
  let made = 0
  const of = perKey((key) => ({ length: key.length, made: ++made }))
  const key = bytes('secret')
  expect(of(key)).toBe(of(key))
  expect(of(bytes('secret')).made).toBe(2)
})
