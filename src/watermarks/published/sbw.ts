/**
 * The green lists of `sbw` in vLLM: a Philox word per token under a seed that is a function of the key and of hashed tokens.
 *
 *   selfhash: seed = signed minimum of key h(v)^2 and key h(c_i) h(v) over the context tokens but the oldest
 *   word     = word (v mod 4) of Philox4x32-10 at counter (floor(v / 4), 0, 0, 0) under the seed
 *   green    = (word & 0x7fffffff) < floor(gamma (2^31 - 1))
 *
 * All products wrap at 64 bits.
 */
import { type KeyWords, multiplyHigh, philox } from './philox.ts'

/** Hashes a token id, in wrapping 32-bit integers. */
export function sbwHash(token: number): number {
  let i = (token + 1) | 0
  i = (i - (i << 6)) | 0
  i ^= i >> 17
  i = (i - (i << 9)) | 0
  i ^= i << 4
  i = (i - (i << 3)) | 0
  i ^= i << 10
  i ^= i >> 15
  return i
}

/** A wrapping 64-bit product by halves. (V8 crashes when it compiles a loop over `BigInt.asIntN`, and this is faster.) */
function multiply([aLow, aHigh]: KeyWords, [bLow, bHigh]: KeyWords): KeyWords {
  const high = multiplyHigh(aLow, bLow) + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)
  return [Math.imul(aLow, bLow) >>> 0, high | 0]
}

/** A hashed token as a signed 64-bit integer. */
function hashed(token: number): KeyWords {
  const hash = sbwHash(token)
  return [hash >>> 0, hash >> 31]
}

/**
 * Returns the seed of a candidate as (low, high) words, the high one signed; `context` has its oldest token first, which is not read.
 */
export function sbwSeed(key: KeyWords, context: ArrayLike<number>, token: number): KeyWords {
  const own = hashed(token)
  const scaled = multiply(key, own)
  let least = multiply(scaled, own)
  for (let i = 1; i < context.length; i++) {
    const seed = multiply(scaled, hashed(context[i]!))
    if (seed[1] < least[1] || (seed[1] === least[1] && seed[0] < least[0])) least = seed
  }
  return least
}

/** Returns the 32-bit word of a token under a seed. */
export function sbwWord([low, high]: KeyWords, token: number): number {
  const state = philox(Int32Array.of(token >>> 2, 0, 0, 0), low, high)
  return state[token & 3]! >>> 0
}
