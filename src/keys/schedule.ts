/**
 * Secret key -> the randomness of every position.
 *
 *   subkey       = HMAC-SHA-256(secret, domain)                 once per key
 *   context seed = SipHash-2-4-128(subkey[0..15], context)      once per position
 *   word i       = expansion of the context seed                once per token asked about
 *
 * `domain` separates methods under one secret. Changing any of this is a breaking release: see fixtures/keys/vectors.json.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { outOfRange, wrongType } from '../input.ts'
import { Expansion, type Random } from './random.ts'
import { seedEach, seedOne } from './seeds.ts'
import { siphash128 } from './siphash.ts'

/** The whole numbers (32 bits each) that tell one position's randomness from another's. */
export type Context = readonly number[]

/** What a code may know besides its own randomness. */
export interface Site {
  /** Randomness of the key alone: the same at every position. */
  readonly shared: Random
  /** The numbers that name this position. */
  readonly context: Context
  /** The secret key, for codes that derive their randomness as a published implementation does. */
  readonly key: Uint8Array
}

/** The bytes of a secret key given as text (UTF-8) or bytes. */
function keyBytes(key: unknown): Uint8Array {
  if (typeof key !== 'string' && !(key instanceof Uint8Array))
    throw wrongType('key', 'a string or Uint8Array', key)
  const bytes = typeof key === 'string' ? utf8ToBytes(key) : key
  if (bytes.length === 0) throw outOfRange('key', 'a secret of at least one byte', key)
  return bytes
}

const words = (bytes: Uint8Array, from: number): Uint32Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, 16)
  return Uint32Array.from({ length: 4 }, (_, i) => view.getUint32(4 * i, true))
}

/** The randomness of one secret key within one domain. */
export interface KeySchedule {
  /** What codes see as the key: the secret, or a key of its own in a permutation run. */
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
  const subkey = hmac(sha256, secret, utf8ToBytes(run === 0 ? domain : `${domain}\u0000run ${run}`))
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
