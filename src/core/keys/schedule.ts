/**
 * Secret key -> the randomness of every position.
 *
 *   subkey       = HMAC-SHA-256(secret, domain)                 once per key
 *   context seed = SipHash-2-4-128(subkey[0..15], context)      once per position
 *   word i       = expansion of the context seed                once per token asked about
 *
 * HMAC takes keys that differ in zero bytes at their end for one, and a key of over 64 bytes for its SHA-256. Such a secret is
 * first hashed together with its length, and used with a label that no domain begins with:
 *
 *   subkey       = HMAC-SHA-256(HMAC-SHA-256('uwbench secret', length of secret, secret), NUL 'hashed' NUL domain)
 *
 * `domain` separates methods under one secret. Changing any of this is a breaking release: see fixtures/keys/vectors.json.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { isDetached, kindOf } from '../../input.ts'
import { siphash128 } from '../kernels/siphash.ts'
import { Expansion, type Random } from './random.ts'
import { seedEach, seedOne } from './seeds.ts'

/** The integers (32 bits each) that tell one position's randomness from another's. */
export type Context = readonly number[]

/** The knowledge of a code besides its own randomness. */
export interface Site {
  /** Randomness of the key alone: the same at every position. */
  readonly shared: Random
  /** The numbers that name this position. */
  readonly context: Context
  /** The secret key, for declarations with `needsKey` (published codes derive their randomness from it); empty for all others. */
  readonly key: Uint8Array
}

/** The longest secret key, in bytes. */
const MAX_KEY_BYTES = 1 << 20

/** The error for a key: says what kind of value it is, never what it contains. */
const wrongKey = (expected: string, got: string): TypeError =>
  new TypeError(`key: expected ${expected}, got ${got}`)

/** A secret key: text (UTF-8) or bytes; codes of published implementations also take the integers that those are keyed with. */
export type SecretKey = string | Uint8Array | number | bigint | readonly (number | bigint)[]

/** Returns the bytes of a key as a watermark takes it: published codes have keys in formats of their own, and some a default. */
export const secretOf = ({ keyOf }: { keyOf?(key: unknown): unknown }, key: unknown): Uint8Array =>
  keyBytes(keyOf === undefined ? key : keyOf(key))

/** The bytes of a secret key given as text (UTF-8) or bytes: a copy, so that what the caller does with theirs changes nothing. */
export function keyBytes(key: unknown): Uint8Array {
  if (typeof key !== 'string' && !(key instanceof Uint8Array))
    throw wrongKey('a string or Uint8Array', kindOf(key))
  if (key instanceof Uint8Array && isDetached(key)) throw wrongKey('a Uint8Array', 'one whose memory is gone')
  // it has no UTF-8 form: different keys would become one
  if (typeof key === 'string' && /\p{Cs}/u.test(key)) throw wrongKey('text', 'a string with a lone surrogate')
  const bytes = typeof key === 'string' ? utf8ToBytes(key) : Uint8Array.from(key)
  if (bytes.length === 0) throw new RangeError('key: expected a secret of at least one byte, got none')
  if (bytes.length > MAX_KEY_BYTES)
    throw new RangeError(`key: expected a secret of at most ${MAX_KEY_BYTES} bytes, got more`)
  return bytes
}

/** Bytes in one block of SHA-256. */
const BLOCK = 64

/**
 * HMAC-SHA-256(secret, label), but different for every two secrets: see the head of this file. Labels do not begin with NUL.
 */
export function keyedHash(secret: Uint8Array, label: string): Uint8Array {
  if (secret.length <= BLOCK && secret.at(-1) !== 0) return hmac(sha256, secret, utf8ToBytes(label))
  const length = new DataView(new ArrayBuffer(4))
  length.setUint32(0, secret.length, true)
  const hashed = hmac(
    sha256,
    utf8ToBytes('uwbench secret'),
    Uint8Array.from([...new Uint8Array(length.buffer), ...secret]),
  )
  return hmac(sha256, hashed, utf8ToBytes(`\0hashed\0${label}`))
}

const words = (bytes: Uint8Array, from: number): Uint32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, 16)
  return Uint32Array.from({ length: 4 }, (_, i) => view.getUint32(4 * i, true))
}

/** The SipHash key of contexts: what `keySchedule` seeds by. */
export const contextKeyOf = (secret: Uint8Array, domain: string): Uint32Array =>
  words(keyedHash(secret, domain), 0)

/** The randomness of one secret key within one domain. */
export interface KeySchedule {
  /** The key that codes see: the secret, or a key of its own in a permutation run. */
  readonly key: Uint8Array
  readonly shared: Random
  /** The randomness of a position; written into `into` where given, so that hot loops make no garbage. */
  random(context: Context, into?: Expansion): Expansion
  /** For `Expansion.rekey`: four words for each context that is there and not the very list before it. Valid until the next call. */
  roundKeys(contexts: readonly (Context | undefined)[]): Int32Array
}

/**
 * @param run 0 for the key itself; other numbers give keys of their own, for permutation tests
 */
export function keySchedule(key: string | Uint8Array, domain: string, run = 0): KeySchedule {
  const secret = keyBytes(key)
  const subkey = keyedHash(secret, run === 0 ? domain : `${domain}\u0000run ${run}`)
  const contextKey = words(subkey, 0)
  const shared = new Expansion(siphash128(words(subkey, 16), [], new Uint32Array(4)))
  return {
    // a code that reads the key itself must see another one in each run
    key: run === 0 ? secret : subkey,
    shared,
    random(context, into = new Expansion()) {
      seedOne(contextKey, context, into.keys)
      return into
    },
    roundKeys: (contexts) => seedEach(contextKey, contexts),
  }
}
