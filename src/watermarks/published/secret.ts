/**
 * Keys of published codes are integers; the keys of this package are bytes. Text is read as integers, in decimal ('15485863',
 * '654, 400, 836') or as Python prints a list ('[654, 400, 836]'), so that a text of a published implementation is detected with
 * its own key. Other text is refused: it would be a key that nobody wrote a text with. Bytes that are no text, such as random
 * ones, are hashed to as many integers as are needed. Errors never show a key.
 */
import { keyedHash } from '../../core/keys/index.ts'

/** The integers that a published code is keyed with. */
export interface KeyFormat {
  /** Their name: in errors, and in the hash. */
  readonly name: string
  readonly count: number
  /** Each is below 2^bits. */
  readonly bits: number
  /** Set where they are written in hexadecimal, with at most this number of digits. */
  readonly hexDigits?: number
  /** The number of bytes that are no text and make one integer, big-endian. Default: none do. */
  readonly bytes?: number
}

/** Keys that the laws make up (src/gate/laws/codes.ts): they stand for any secret, and are hashed. */
const MADE_UP = 'uwbench law '

/** The integers of a key. */
export function secretIntegers(key: Uint8Array, format: KeyFormat): bigint[] {
  const text = textOf(key)
  if (text !== undefined && !text.startsWith(MADE_UP)) return writtenIntegers(text, format)
  return key.length === format.bytes ? [bigEndian(key)] : hashedIntegers(key, format)
}

/** Returns the text of a key; undefined for bytes that are no UTF-8 or have control characters. */
function textOf(key: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(key)
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text.trim()
  } catch {
    return undefined
  }
}

/** Integers written in decimal, apart from each other by commas or spaces, with or without the brackets of a list in Python. */
export function readIntegers(text: string): bigint[] | undefined {
  const [, list, tuple, plain] = /^(?:\[(.*)\]|\((.*)\)|(.*))$/s.exec(text.trim())!
  const inside = (list ?? tuple ?? plain!).trim().replace(/,$/, '')
  if (!/^\d+(?:(?:\s*,\s*|\s+)\d+)*$/.test(inside.trimEnd())) return undefined
  return inside.match(/\d+/g)!.map(BigInt)
}

/** Integers of at most `digits` hexadecimal digits, without a prefix, separated by commas. */
function readHex(text: string, digits: number): bigint[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const isHex = (part: string) => /^[\da-f]+$/i.test(part) && part.length <= digits
  return parts.every(isHex) ? parts.map((part) => BigInt(`0x${part}`)) : undefined
}

function writtenIntegers(text: string, { name, count, bits, hexDigits }: KeyFormat): bigint[] {
  const several = hexDigits ? "'A,B'" : "'654, 400, 836' or '[654, 400, 836]'"
  const expected = count === 1 ? `the ${name}` : `${count} ${name}, such as ${several}`
  const integers = hexDigits ? readHex(text, hexDigits) : readIntegers(text)
  if (integers === undefined)
    throw new TypeError(
      `key: expected ${expected}, in ${hexDigits ? `at most ${hexDigits} hexadecimal digits without 0x` : 'decimal'} (or bytes that are no text, which are hashed), got other text`,
    )
  if (integers.length !== count)
    throw new RangeError(
      `key: expected ${expected}, got ${integers.length} integer${integers.length === 1 ? '' : 's'}`,
    )
  if (integers.some((value) => value >= 1n << BigInt(bits)))
    throw new RangeError(`key: expected ${name} below 2^${bits}; one of them is larger`)
  return integers
}

export const bigEndian = (bytes: Uint8Array): bigint =>
  bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)

/** HMAC-SHA-256 gives 32 bytes, four integers, at a time. */
function hashedIntegers(key: Uint8Array, { name, count, bits }: KeyFormat): bigint[] {
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
