/** Keys as the users of published implementations have them: integers, lists of integers, text that Python printed. */
import { isDetached, kindOf } from '../../input.ts'
import { bigEndian, readIntegers } from './secret.ts'

/** The most integers of one key: published implementations have 30. */
const MAX_INTEGERS = 4096

/** A key of a published implementation. */
export type IntegerKey = string | number | bigint | Uint8Array | readonly (number | bigint)[]

/** Says what kind of value it is, never what it contains. */
const wrongKey = (expected: string, got: string): TypeError =>
  new TypeError(`key: expected ${expected}, got ${got}`)

/** An integer of at least 0 that is exactly what was written. */
function wholeNumber(value: unknown): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw typeof value === 'number' && Number.isInteger(value) && value > 0
    ? wrongKey('a bigint or a string for integers past 2^53', 'a number, which cannot hold them')
    : wrongKey(
        'integers of at least 0',
        typeof value === 'number' || typeof value === 'bigint' ? `another ${typeof value}` : kindOf(value),
      )
}

function copyOf(bytes: Uint8Array): Uint8Array {
  if (isDetached(bytes)) throw wrongKey('a Uint8Array', 'one whose memory is gone')
  return Uint8Array.from(bytes)
}

/**
 * A key of a published implementation as every function here takes it: integers as text, bytes as a copy. Lists may be arrays or
 * text as Python prints them; anything else is refused, and no error shows the key.
 * @example publishedKey([654, 400, 836]) // '654, 400, 836': the layer keys of SynthID
 * @example publishedKey('[654, 400, 836]') // the same
 * @example publishedKey(15485863) // '15485863': the hashing key of KGW
 */
export function publishedKey(key: IntegerKey): string | Uint8Array {
  if (key instanceof Uint8Array) return copyOf(key)
  if (typeof key === 'string') {
    const integers = readIntegers(key)
    if (integers === undefined)
      throw wrongKey("integers in decimal, or a list of them such as '[654, 400, 836]'", 'other text')
    return integers.join(', ')
  }
  if (!Array.isArray(key)) return String(wholeNumber(key))
  if (key.length === 0) throw wrongKey('at least one integer', 'an empty array')
  if (key.length > MAX_INTEGERS) throw wrongKey(`at most ${MAX_INTEGERS} integers`, 'more')
  return Array.from({ length: key.length }, (_, i) => wholeNumber(key[i]!)).join(', ')
}

/** Returns a key given as integers as text in a base; anything else as it is. */
export const integerText =
  (base: 10 | 16, byDefault?: string) =>
  (key: unknown): unknown => {
    const given = key ?? byDefault
    if (typeof given !== 'number' && typeof given !== 'bigint' && !Array.isArray(given)) return given
    const text = publishedKey(given) as string
    return base === 10 ? text : text.replace(/\d+/g, (digits) => BigInt(digits).toString(16))
  }

/**
 * The 64-bit key of vLLM's watermarks as text: from a decimal string, a bigint, a number below 2^53, or 8 bytes, big-endian.
 * @example vllmKey(42) // '42'
 * @example vllmKey(Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 7)) // '18374686479671623687'
 */
export function vllmKey(key: string | number | bigint | Uint8Array): string {
  if (key instanceof Uint8Array && key.length !== 8)
    throw wrongKey('8 bytes, a bigint or a decimal string', `${key.length} bytes`)
  if (Array.isArray(key)) throw wrongKey('8 bytes, a bigint or a decimal string', 'an array')
  const text = key instanceof Uint8Array ? String(bigEndian(copyOf(key))) : String(publishedKey(key))
  if (!/^\d+$/.test(text)) throw wrongKey('one integer', 'several')
  if (BigInt(text) >= 1n << 64n) throw new RangeError('key: expected an integer below 2^64, got a larger one')
  return text
}
