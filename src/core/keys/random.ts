/**
 * The randomness of one position: a 128-bit seed expanded into words that can be asked for one by one.
 *
 * The seed comes from a PRF (SipHash), so this part need not be cryptographic; it must be *statistically* clean and cost a
 * nanosecond per token, because generation asks for a word per token of the vocabulary. Two steps:
 *
 * 1. the seed's words pass through three ChaCha quarter-rounds, so that seeds that differ in one bit share no round key;
 * 2. word i is `mix(i)`, three multiply-xorshift rounds (the constants of Wellons' `triple32`) with a round key in each.
 *
 * Step 2 is a permutation of the 32-bit integers for each seed: two tokens of one position never tie, so the order of a
 * vocabulary by its words is strict and exactly uniform.
 */

import { active } from '../kernels/active.ts'
import { LOW, mix, roundKeys, toUniform } from '../kernels/mix.ts'
import type { Words } from '../kernels/words.ts'

/** Keyed random access: the same index gives the same value every time. */
export interface Random {
  /** A 32-bit word; `0 <= i < 2^31`. */
  uint32(i: number): number
  /** A number in the open interval (0, 1) made of 64 bits: fine near 0, rounded to 53 bits near 1. */
  uniform(i: number): number
  /** Writes `uint32(0), uint32(1), ...` into `out`. */
  fill(out: Uint32Array): Uint32Array
}

/** Words at `0 .. OWN-1` belong to tokens, words at `OWN .. STRIDE-1` to the position itself. */
export const OWN = 1 << 23
/** Further words for the same purpose lie this far apart. */
export const STRIDE = 1 << 24
/** The largest vocabulary that the layout above can hold. */
export const MAX_VOCAB = OWN

/** Expands a 128-bit seed. The object may be given another seed with `reseed`: hot loops make no garbage. */
export class Expansion implements Random {
  /** The four round keys, for kernels that run over a whole vocabulary. */
  readonly keys: Int32Array = new Int32Array(4)

  constructor(seed?: ArrayLike<number>) {
    if (seed !== undefined) this.reseed(seed)
  }

  reseed(seed: ArrayLike<number>): this {
    roundKeys(seed, this.keys)
    return this
  }

  /** Takes the four round keys at `keys[at ..]`. */
  rekey(keys: Int32Array, at: number): this {
    const own = this.keys
    own[0] = keys[at]!
    own[1] = keys[at + 1]!
    own[2] = keys[at + 2]!
    own[3] = keys[at + 3]!
    return this
  }

  uint32(i: number): number {
    const k = this.keys
    return mix(i, k[0]!, k[1]!, k[2]!, k[3]!)
  }

  uniform(i: number): number {
    // the same as i + LOW in 32 bits, and a small integer
    return toUniform(this.uint32(i), this.uint32(i ^ LOW))
  }

  fill(out: Uint32Array): Uint32Array {
    const k = this.keys
    active(out).fill(out, k[0]!, k[1]!, k[2]!, k[3]!)
    return out
  }
}

/** Makes words that are asked for one by one. */
export const wordsBy = (uint32: (i: number) => number): Words => ({
  uint32,
  fill(out) {
    for (let i = 0; i < out.length; i++) out[i] = uint32(i)
    return out
  },
})

/** Takes given words in place of random ones: for codes that are listed rather than drawn. */
export const wordsOf = (words: ArrayLike<number>): Words => wordsBy((i) => words[i]!)

/** The last full multiple of n below 2^32, for the n that was asked for last: a remainder of large numbers is slow. */
const known = { n: 0, limit: 0 }

/** An integer in `0 .. n-1`, exactly uniform: words past the last full multiple of n are thrown away, no modulo bias. */
export function below(random: Pick<Random, 'uint32'>, i: number, n: number): number {
  if (known.n !== n) {
    known.n = n
    known.limit = 2 ** 32 - (2 ** 32 % n)
  }
  for (let at = i; ; at += STRIDE) {
    const word = random.uint32(at)
    if (word < known.limit) return word % n
  }
}

/** Returns the randomness whose word i is word i + offset of another. */
export function shifted({ keys }: Expansion, offset: number): Expansion {
  const random = new Expansion().rekey(keys, 0)
  random.keys[0] = keys[0]! + offset
  return random
}

/** Other words of the same tokens: the k-th set, k = 1, 2, ... 127. */
export const wordsFrom = (random: Random, k: number): Words =>
  random instanceof Expansion
    ? shifted(random, STRIDE * k)
    : wordsBy((token) => random.uint32(STRIDE * k + token))
