import { expect, test } from 'vitest'
import { perKey, secretIntegers } from '../../src/reference/secret.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a key that reads as integers is those integers', () => {
  expect(secretIntegers(bytes('15485863'), 'hashing key', 1, 63)).toEqual([15485863n])
  expect(secretIntegers(bytes(' 654, 400 836\n'), 'layer keys', 3, 63)).toEqual([654n, 400n, 836n])
})

test('any other key is hashed: fixed values, one per place, per purpose and per key', () => {
  const secret = secretIntegers(bytes('secret'), 'layer keys', 30, 63)
  expect(new Set(secret).size).toBe(30)
  expect(secret.every((value) => value >= 0n && value < 2n ** 63n)).toBe(true)
  expect(secretIntegers(bytes('secret'), 'layer keys', 30, 63)).toEqual(secret)
  expect(secretIntegers(bytes('secret'), 'layer keys', 2, 63)).toEqual(secret.slice(0, 2))
  expect(secretIntegers(bytes('secret'), 'hashing key', 1, 63)[0]).not.toBe(secret[0])
  expect(secretIntegers(bytes('Secret'), 'layer keys', 1, 63)[0]).not.toBe(secret[0])
  expect(secretIntegers(bytes('7'), 'layer keys', 2, 63)).not.toContain(7n)
  expect(secretIntegers(new Uint8Array([255, 49]), 'x', 1, 32)[0]).toBeLessThan(2n ** 32n)
})

test('integers that do not fit are refused, not hashed', () => {
  expect(() => secretIntegers(bytes('1,2,3'), 'layer keys', 2, 63)).toThrow(/key: expected 2 layer keys/)
  expect(() => secretIntegers(bytes('4294967296'), 'seed', 1, 32)).toThrow(/below 2\^32/)
})

test('perKey makes a value once per key object', () => {
  let made = 0
  const of = perKey((key) => ({ length: key.length, made: ++made }))
  const key = bytes('secret')
  expect(of(key)).toBe(of(key))
  expect(of(bytes('secret')).made).toBe(2)
})
