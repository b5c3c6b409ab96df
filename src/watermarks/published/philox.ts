/**
 * The pseudo-random function of vLLM's watermarks, `philox4x32-10-v1`: Philox4x32 with ten rounds (Salmon et al. 2011) over a
 * 64-bit key. The context is absorbed four tokens at a time; then each token has a word of its own.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { integer, list, oneOf, requireOptions, wrongType } from '../../input.ts'

const ROUNDS = 10
const MULTIPLIER_0 = 0xd2511f53
const MULTIPLIER_1 = 0xcd9e8d57
const WEYL_0 = 0x9e3779b9
const WEYL_1 = 0xbb67ae85
/** 'WMCX' begins the state that absorbs a context; 'WMTK' keys the words of tokens. */
const CONTEXT_TAG = 0x574d4358
const TOKEN_TAG = 0x574d544b
/** Context tokens absorbed at a time. */
const BLOCK = 4

/** Four 32-bit words. */
export type PhiloxState = Int32Array | Uint32Array

/** The upper 32 bits of the product of two 32-bit words, by 16-bit halves; no partial sum reaches 2^32. */
export function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const middle = (Math.imul(aHigh, bLow) >>> 0) + (Math.imul(aLow, bLow) >>> 16)
  const cross = (Math.imul(aLow, bHigh) >>> 0) + (middle & 0xffff)
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) | 0
}

/** Ten rounds on `state`, in place, under the key words (low, high). */
export function philox(state: PhiloxState, low: number, high: number): PhiloxState {
  let x0 = state[0]! | 0
  let x1 = state[1]! | 0
  let x2 = state[2]! | 0
  let x3 = state[3]! | 0
  let k0 = low | 0
  let k1 = high | 0
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, x0)
    const high1 = multiplyHigh(MULTIPLIER_1, x2)
    const low0 = Math.imul(MULTIPLIER_0, x0)
    const low1 = Math.imul(MULTIPLIER_1, x2)
    x0 = high1 ^ x1 ^ k0
    x1 = low1
    x2 = high0 ^ x3 ^ k1
    x3 = low0
    k0 = (k0 + WEYL_0) | 0
    k1 = (k1 + WEYL_1) | 0
  }
  state[0] = x0
  state[1] = x1
  state[2] = x2
  state[3] = x3
  return state
}

/** A 64-bit key as its (low, high) words. */
export type KeyWords = readonly [low: number, high: number]

export function keyWords(key: bigint, name = 'key'): KeyWords {
  if (typeof key !== 'bigint' || key < 0n || key >= 1n << 64n)
    throw wrongType(name, 'a bigint of at most 64 bits', 'another value')
  return [Number(key & 0xffffffffn), Number(key >> 32n)]
}

/** Absorbs a context; entries before the beginning of the text are -1. */
function absorb(context: ArrayLike<number>, [low, high]: KeyWords): PhiloxState {
  const state = Int32Array.of(CONTEXT_TAG, context.length, 0, 0)
  for (let from = 0; from < context.length; from += BLOCK) {
    for (let i = 0; i < BLOCK; i++) state[i]! ^= from + i < context.length ? context[from + i]! : -1 - i
    philox(state, low ^ from, high)
  }
  return state
}

/** The words of all tokens after one context, in one of 2^64 streams. Four tokens share a block: neighbours cost nothing. */
export class PhiloxWords {
  readonly #absorbed: PhiloxState
  readonly #low: number
  readonly #high: number
  readonly #words = new Int32Array(4)
  #block = -1

  constructor(key: KeyWords, context: ArrayLike<number>, [streamLow, streamHigh]: KeyWords = [0, 0]) {
    this.#absorbed = absorb(context, key)
    this.#low = key[0] ^ this.#absorbed[3]! ^ streamHigh
    this.#high = key[1] ^ TOKEN_TAG ^ streamLow
  }

  /** The 32-bit word of a token. */
  at(token: number): number {
    const [words, absorbed, block] = [this.#words, this.#absorbed, token >>> 2]
    if (block !== this.#block) {
      this.#block = block
      words[0] = block
      words[1] = absorbed[0]!
      words[2] = absorbed[1]!
      words[3] = absorbed[2]!
      philox(words, this.#low, this.#high)
    }
    return words[token & 3]! >>> 0
  }
}

export interface PhiloxWordOptions {
  /** A 64-bit key. */
  readonly key: bigint
  /** The tokens before the position, -1 where the text has not begun. */
  readonly context: ArrayLike<number>
  readonly token: number
  /** Which of 2^64 independent sets of words: the layers of SynthID have streams of their own. Default 0. */
  readonly stream?: bigint
}

/**
 * The 32-bit word that vLLM draws for a token after a context.
 * @example philoxWord({ key: 42n, context: [1, 2, 3, 4], token: 7 }) >>> 8 // 1661833
 */
export function philoxWord(options: PhiloxWordOptions): number {
  requireOptions('philoxWord', options, ['key', 'context', 'token', 'stream'])
  const { key, context, token, stream = 0n } = options
  list('context', context, 'a list of token ids')
  for (let i = 0; i < context.length; i++) integer(`context[${i}]`, context[i], -1, 2 ** 31 - 1)
  integer('token', token, 0, 2 ** 31 - 1)
  return new PhiloxWords(keyWords(key), context, keyWords(stream, 'stream')).at(token)
}

/**
 * One of the two keys of vLLM's dual-key watermark.
 * @example vllmSubkey(0n, 'key_a') // 15691511769010696906n
 */
export function vllmSubkey(key: bigint, name: 'key_a' | 'key_b'): bigint {
  keyWords(key)
  oneOf('name', name, ['key_a', 'key_b'])
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, key)
  const digest = sha256(new Uint8Array([...utf8ToBytes(name), ...bytes]))
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0)
}
