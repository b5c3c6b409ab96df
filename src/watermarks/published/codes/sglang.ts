/** Uniforms as SGLang draws them: u = (hash + 1/2) / 2^32, 32 bits of MurmurHash3 per token. */

import { exponential, sumDetector } from '../../../core/detect/index.ts'
import type { Context, EngineWords } from '../../../core/keys/index.ts'
import { type Exponentials, scoreOf } from '../../mechanisms/gumbel-max.ts'
import { integerText } from '../key.ts'
import { murmurHash, murmurLast, murmurState } from '../murmur.ts'
import { secretIntegers } from '../secret.ts'
import { rounded } from './uniforms.ts'

const WORDS = 2 ** 32

/** The two 32-bit words of a 64-bit key, low first. */
type Key = readonly [low: number, high: number]

/** Writes keys that are integers in hexadecimal. */
export const sglangKeyOf = integerText(16)

/** Reads one key, or two separated by a comma, as hexadecimal digits. */
export const sglangKeys = (key: Uint8Array, count: 1 | 2): Key[] =>
  secretIntegers(key, {
    name: count === 1 ? 'SGLang key' : 'SGLang keys',
    count,
    bits: 64,
    hexDigits: 16,
    ...(count === 1 && { bytes: 8 }),
  }).map((value) => [Number(value & 0xffffffffn), Number(value >> 32n)])

/** Returns -ln u of a hash. */
const exponentialOf = (hash: number): number => -Math.log((hash + 0.5) / WORDS)

/** Returns the score of a token by its hash. */
export const sglangScore = (hash: number): number => scoreOf(exponentialOf(hash))

/** Returns the hashes of tokens under one key, or under two, of which a coin below `limit` names the first. */
export function sglangEngine(keys: readonly Key[], limit = WORDS): EngineWords {
  const [a, b = a!] = keys.map((key) => murmurState(key))
  const key = Uint32Array.of(a!, b, murmurState(keys.flat()), limit % WORDS, Math.floor(limit / WORDS))
  return { kernel: 'murmurWords', keys: [key] }
}

/** Returns -ln u of the tokens after a context. */
export function sglangExponentials(key: Key, context: Context): Exponentials {
  const state = murmurState([...key, murmurHash(context)])
  return { at: (token) => exponentialOf(murmurLast(state, token, 4)) }
}

/** Returns the 32-bit coin that says which of two keys a context has. */
export const sglangCoin = (keys: readonly Key[], context: Context): number =>
  murmurHash([...keys.flat(), murmurHash(context)])

/**
 * The sum of -ln(1 - u), where 1 - u = (j + 1/2) / 2^32 and j is uniform: the p-value takes -ln((j + 1) / 2^32), which lies below an
 * exponential: a bound.
 */
export const sglangDetector = rounded(sumDetector({ nullLaw: { ...exponential(), exact: false } }), (score) =>
  Math.max(0, -Math.log(Math.exp(-score) + 0.5 / WORDS)),
)
