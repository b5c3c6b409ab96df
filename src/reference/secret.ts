/**
 * Published codes are keyed by integers, this package by bytes. A key that reads as decimal integers ('15485863', or
 * '654, 400, 836' with one per layer) *is* those integers, so that a text of a published implementation is detected with
 * its own key; any other key is hashed to integers, and so is a single integer where several are needed.
 */
import { keyedHash } from '../keys/schedule.ts'

/** The `count` integers below 2^bits of a key; `name` says what they are for, in errors and in the hash. */
export function secretIntegers(key: Uint8Array, name: string, count: number, bits: number): bigint[] {
  return writtenIntegers(key, name, count, bits) ?? hashedIntegers(key, name, count, bits)
}

function writtenIntegers(key: Uint8Array, name: string, count: number, bits: number): bigint[] | undefined {
  const text = new TextDecoder().decode(key).trim()
  if (!/^\d+([\s,]+\d+)*$/.test(text)) return undefined
  const integers = text.split(/[\s,]+/).map(BigInt)
  if (integers.length === 1 && count > 1) return undefined
  if (integers.length !== count)
    throw new RangeError(`key: expected ${count} ${name}, got ${integers.length} integers`)
  if (integers.some((value) => value >= 1n << BigInt(bits)))
    throw new RangeError(`key: expected ${name} below 2^${bits}; one of them is larger`)
  return integers
}

/** HMAC-SHA-256 gives 32 bytes, four integers, at a time. */
function hashedIntegers(key: Uint8Array, name: string, count: number, bits: number): bigint[] {
  const integers: bigint[] = []
  for (let block = 0; integers.length < count; block++) {
    const digest = keyedHash(key, `${name} ${block}`)
    const view = new DataView(digest.buffer, digest.byteOffset)
    for (let at = 0; at < 32; at += 8) integers.push(BigInt.asUintN(bits, view.getBigUint64(at, true)))
  }
  return integers.slice(0, count)
}

/** A value made once per key: the keys of one schedule are one object, and a text asks for it at every position. */
export function perKey<T>(make: (key: Uint8Array) => T): (key: Uint8Array) => T {
  const made = new WeakMap<Uint8Array, T>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) {
      value = make(key)
      made.set(key, value)
    }
    return value
  }
}
