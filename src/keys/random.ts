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
/** Index of the second word of a uniform number. */
const LOW = 0x80000000
/** The largest vocabulary that the layout above can hold. */
export const MAX_VOCAB = OWN

/** One round of ChaCha on (a, b, c, d); writes the result to `out`. */
function quarterRound(x: Int32Array): void {
  let a = x[0]!
  let b = x[1]!
  let c = x[2]!
  let d = x[3]!
  a = (a + b) | 0
  d ^= a
  d = (d << 16) | (d >>> 16)
  c = (c + d) | 0
  b ^= c
  b = (b << 12) | (b >>> 20)
  a = (a + b) | 0
  d ^= a
  d = (d << 8) | (d >>> 24)
  c = (c + d) | 0
  b ^= c
  b = (b << 7) | (b >>> 25)
  x[0] = a
  x[1] = b
  x[2] = c
  x[3] = d
}

/** The round keys of a seed: a permutation of its 128 bits in which every bit depends on all. Written in place. */
export function roundKeys(seed: ArrayLike<number>, out: Int32Array): Int32Array {
  out[0] = (seed[0]! + 0x61707865) | 0
  out[1] = (seed[1]! + 0x3320646e) | 0
  out[2] = (seed[2]! + 0x79622d32) | 0
  out[3] = (seed[3]! + 0x6b206574) | 0
  for (let i = 0; i < 3; i++) quarterRound(out)
  return out
}

/** Word `i` under the round keys (k0, k1, k2, k3). */
export function mix(i: number, k0: number, k1: number, k2: number, k3: number): number {
  let x = (i + k0) | 0
  x = Math.imul(x ^ (x >>> 17), 0xed5ad4bb) ^ k1
  x = (Math.imul(x ^ (x >>> 11), 0xac4c1b51) + k2) | 0
  x = Math.imul(x ^ (x >>> 15), 0x31848bab) ^ k3
  return (x ^ (x >>> 14)) >>> 0
}

/** A 64-bit fraction as a number in (0, 1): the middle of its cell, kept below 1 where float64 would round up. */
export const toUniform = (high: number, low: number): number =>
  Math.min((high + (low + 0.5) * 2 ** -32) * 2 ** -32, 1 - 2 ** -53)

/** Expands a 128-bit seed. The object may be given another seed with `reseed`: hot loops make no garbage. */
export class Expansion implements Random {
  /** The four round keys, for kernels that run over a whole vocabulary. */
  readonly keys = new Int32Array(4)

  constructor(seed?: ArrayLike<number>) {
    if (seed !== undefined) this.reseed(seed)
  }

  reseed(seed: ArrayLike<number>): this {
    roundKeys(seed, this.keys)
    return this
  }

  uint32(i: number): number {
    const k = this.keys
    return mix(i, k[0]!, k[1]!, k[2]!, k[3]!)
  }

  uniform(i: number): number {
    return toUniform(this.uint32(i), this.uint32(i + LOW))
  }

  fill(out: Uint32Array): Uint32Array {
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = this.keys
    for (let i = 0; i < out.length; i++) out[i] = mix(i, k0, k1, k2, k3)
    return out
  }
}

/** Given words in place of random ones: for codes that are listed rather than drawn. */
export function wordsOf(words: ArrayLike<number>): Pick<Random, 'uint32' | 'fill'> {
  return {
    uint32: (i) => words[i]!,
    fill(out) {
      for (let i = 0; i < out.length; i++) out[i] = words[i]!
      return out
    },
  }
}

/** A whole number in `0 .. n-1`, exactly uniform: words past the last full multiple of n are thrown away, no modulo bias. */
export function below(random: Pick<Random, 'uint32'>, i: number, n: number): number {
  const limit = 2 ** 32 - (2 ** 32 % n)
  for (let at = i; ; at += STRIDE) {
    const word = random.uint32(at)
    if (word < limit) return word % n
  }
}
