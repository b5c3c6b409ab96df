/**
 * The pseudo-random function of TextSeal (2026): for a context w_1 .. w_n, a token x and a key k
 *
 *   S = sum q_i w_i + 100000007 x + 500001713 k,   H = S * 15485863 * 40499 in wrapping 64-bit integers,
 *   h = (H xor (H >> 13)) mod 8191,                u = h / 8191 in float32.
 *
 * S is linear in its inputs, so H of a token is H of the context plus a constant times the token: one addition per token.
 */
import { integer, list, requireOptions, wrongType } from '../../input.ts'

const CONTEXT_FACTORS = [
  10000019n,
  10000247n,
  10000439n,
  10000643n,
  10000747n,
  10000867n,
  10000993n,
  10001213n,
  10001357n,
  10001501n,
]
const TOKEN_FACTOR = 100000007n
const KEY_FACTOR = 500001713n
const SCALE = 15485863n * 40499n

/** The number of values of a hash. */
export const TEXTSEAL_VALUES = 8191
/** Added to a token for each layer of SynthID. */
export const TEXTSEAL_LAYER = 659101
/** The longest context that has a factor for every token. */
export const TEXTSEAL_MAX_CONTEXT = CONTEXT_FACTORS.length

const MASK = (1n << 64n) - 1n
const TOKEN_STEP = (TOKEN_FACTOR * SCALE) & MASK
const STEP_LOW = Number(TOKEN_STEP & 0xffffffffn)
const STEP_HIGH = Number(TOKEN_STEP >> 32n)

/** Returns what the compiled hash is keyed with; `layers` and the first of them for the bits of SynthID. */
export function textsealWords(key: bigint, layers = 0, first = 0): Uint32Array {
  const base = (KEY_FACTOR * key + TOKEN_FACTOR * BigInt(TEXTSEAL_LAYER * first)) * SCALE
  const words = [base, base >> 32n].map((word) => Number(word & 0xffffffffn))
  return Uint32Array.of(...words, layers, ...CONTEXT_FACTORS.map(Number))
}

/** Hashes the tokens that may follow one context. */
export class TextsealHash {
  readonly #low: number
  readonly #high: number

  constructor(key: bigint, context: ArrayLike<number>) {
    let sum = KEY_FACTOR * key
    for (let i = 0; i < context.length; i++) sum += CONTEXT_FACTORS[i]! * BigInt(context[i]!)
    const scaled = (sum * SCALE) & MASK
    this.#low = Number(scaled & 0xffffffffn)
    this.#high = Number(scaled >> 32n)
  }

  /** Returns the hash of a token below 2^31, from 0 to 8190. */
  at(token: number): number {
    // 64-bit product and sum by 16-bit halves of the token; every partial sum stays below 2^53
    const t0 = token & 0xffff
    const t1 = token >>> 16
    const p0 = STEP_LOW * t0
    const p1 = STEP_LOW * t1
    const low = this.#low + (p0 % 4294967296) + (p1 % 65536) * 65536
    const carry =
      Math.floor(low / 4294967296) + Math.floor(p0 / 4294967296) + Math.floor(p1 / 65536) + this.#high
    const high = (carry + Math.imul(STEP_HIGH, token)) | 0
    const lowWord = (low % 4294967296) | 0
    const shiftedHigh = high ^ (high >> 13)
    const shiftedLow = (lowWord ^ ((lowWord >>> 13) | (high << 19))) >>> 0
    // 2^32 is 64 modulo 8191; the high word is signed
    const value = ((shiftedHigh % TEXTSEAL_VALUES) * 64 + (shiftedLow % TEXTSEAL_VALUES)) % TEXTSEAL_VALUES
    return value < 0 ? value + TEXTSEAL_VALUES : value
  }
}

export interface TextsealHashOptions {
  /** An integer of at most 63 bits. */
  readonly key: bigint
  /** The tokens before the position, at most ten. */
  readonly context: ArrayLike<number>
  readonly token: number
}

/**
 * Returns the hash that TextSeal draws for a token after a context, from 0 to 8190; its uniform is the hash over 8191.
 * @example textsealHash({ key: 42n, context: [125], token: 600 }) // 4257
 */
export function textsealHash(options: TextsealHashOptions): number {
  requireOptions('textsealHash', options, ['key', 'context', 'token'])
  const { key, context, token } = options
  if (typeof key !== 'bigint' || key < 0n || key >= 1n << 63n)
    throw wrongType('key', 'a bigint of at most 63 bits', 'another value')
  list('context', context, 'a list of token ids')
  integer('context.length', context.length, 0, TEXTSEAL_MAX_CONTEXT)
  for (let i = 0; i < context.length; i++) integer(`context[${i}]`, context[i], 0, 2 ** 31 - 1)
  integer('token', token, 0, 2 ** 31 - 1)
  return new TextsealHash(key, context).at(token)
}
