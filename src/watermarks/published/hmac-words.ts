/**
 * The pseudo-random function `hmac_sha256` of early vLLM builds: HMAC-SHA-256 under a 256-bit key (32 bytes, little-endian) of a
 * version tag, the context's length, the context tokens and the token. The first four bytes, little-endian, are the word.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

const TAG = utf8ToBytes('vllm-watermark-hmac-sha256-v1\0')

/** Returns a 256-bit integer as 32 bytes, little-endian. */
export function hmacKey(key: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(32))
  for (let i = 0; i < 4; i++) view.setBigUint64(8 * i, BigInt.asUintN(64, key >> BigInt(64 * i)), true)
  return new Uint8Array(view.buffer)
}

/** Draws the words of the tokens after one context; entries before the beginning of the text are -1. */
export class HmacWords {
  readonly #key: Uint8Array
  readonly #message: Uint8Array
  readonly #view: DataView

  constructor(key: Uint8Array, context: ArrayLike<number>) {
    this.#key = key
    this.#message = new Uint8Array(TAG.length + 4 + 8 * (context.length + 1))
    this.#message.set(TAG)
    this.#view = new DataView(this.#message.buffer)
    this.#view.setUint32(TAG.length, context.length, true)
    for (let i = 0; i < context.length; i++) this.#write(i, context[i]!)
  }

  #write(place: number, token: number): void {
    this.#view.setBigInt64(TAG.length + 4 + 8 * place, BigInt(token), true)
  }

  /** Returns the 32-bit word of a token. */
  at(token: number): number {
    this.#write((this.#message.length - TAG.length - 4) / 8 - 1, token)
    const digest = hmac(sha256, this.#key, this.#message)
    return new DataView(digest.buffer, digest.byteOffset).getUint32(0, true)
  }
}
