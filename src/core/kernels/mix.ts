/** A seed's round keys and the keyed words made with them: the two steps that random.ts describes. */

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

/** Index of the second word of a uniform number, counted from the first. */
export const LOW = 0x80000000

/** A 64-bit fraction as a number in (0, 1): the middle of its cell, kept below 1 where float64 would round up. */
export const toUniform = (high: number, low: number): number =>
  Math.min((high + (low + 0.5) * 2 ** -32) * 2 ** -32, 1 - 2 ** -53)
