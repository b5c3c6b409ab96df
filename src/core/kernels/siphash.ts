/**
 * SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF"), over messages made of
 * 32-bit words. A full cryptographic hash per token costs microseconds and would dominate detection; SipHash is a PRF made
 * for short inputs. JavaScript has no 64-bit integers that are fast, so each 64-bit lane is a (low, high) pair of int32.
 */

/** The four lanes v0..v3, low word at 2i and high word at 2i + 1. One per module: nothing here is reentrant. */
const v = new Int32Array(8)

/** v[a] += v[b] (64 bits) */
function add(a: number, b: number): void {
  const low = (v[a]! >>> 0) + (v[b]! >>> 0)
  v[a + 1] = (v[a + 1]! + v[b + 1]! + (low > 0xffffffff ? 1 : 0)) | 0
  v[a] = low | 0
}

/** v[a] = rotl64(v[a], bits) ^ v[b], 0 < bits < 32 */
function rotateXor(a: number, bits: number, b: number): void {
  const low = v[a]!
  const high = v[a + 1]!
  v[a] = ((low << bits) | (high >>> (32 - bits))) ^ v[b]!
  v[a + 1] = ((high << bits) | (low >>> (32 - bits))) ^ v[b + 1]!
}

/** v[a] = rotl64(v[a], 32): the words change places */
function swap(a: number): void {
  const low = v[a]!
  v[a] = v[a + 1]!
  v[a + 1] = low
}

function round(): void {
  add(0, 2)
  rotateXor(2, 13, 0)
  swap(0)
  add(4, 6)
  rotateXor(6, 16, 4)
  add(0, 6)
  rotateXor(6, 21, 0)
  add(4, 2)
  rotateXor(2, 17, 4)
  swap(4)
}

function absorb(low: number, high: number): void {
  v[6]! ^= low
  v[7]! ^= high
  round()
  round()
  v[0]! ^= low
  v[1]! ^= high
}

function squeeze(out: Uint32Array, at: number): void {
  for (let i = 0; i < 4; i++) round()
  out[at] = v[0]! ^ v[2]! ^ v[4]! ^ v[6]!
  out[at + 1] = v[1]! ^ v[3]! ^ v[5]! ^ v[7]!
}

/**
 * Writes SipHash-2-4-128(key, words) into `out[0..3]`.
 * @param key four 32-bit words: the 16 key bytes, little-endian
 * @param words the message: 32-bit words, hashed as their little-endian bytes
 */
export function siphash128(key: Uint32Array, words: ArrayLike<number>, out: Uint32Array): Uint32Array {
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = key
  v[0] = k0 ^ 0x70736575
  v[1] = k1 ^ 0x736f6d65
  v[2] = k2 ^ 0x6e646f6d ^ 0xee
  v[3] = k3 ^ 0x646f7261
  v[4] = k0 ^ 0x6e657261
  v[5] = k1 ^ 0x6c796765
  v[6] = k2 ^ 0x79746573
  v[7] = k3 ^ 0x74656462
  const n = words.length
  for (let i = 0; i + 1 < n; i += 2) absorb(words[i]! | 0, words[i + 1]! | 0)
  // the last block: what is left, and the message's length in bytes in the top byte
  absorb(n % 2 === 1 ? words[n - 1]! | 0 : 0, (4 * n) << 24)
  v[4]! ^= 0xee
  squeeze(out, 0)
  v[2]! ^= 0xdd
  squeeze(out, 2)
  return out
}
