/**
 * The hash of SynthID's published implementations: h <- (h + x) M + 1 modulo 2^64, with the multiplier of newlib's
 * linear congruential generator. A 64-bit value is a register of two signed 32-bit limbs, [low, high]: exact, and
 * without a BigInt per step.
 */
export type Register = Int32Array

// M = 6364136223846793005 = 0x5851f42d_4c957f2d
const low = 0x4c957f2d
const high = 0x5851f42d
const low0 = low & 0xffff
const low1 = low >>> 16

/** A register that holds a 64-bit integer, signed or not. */
export const register = (value: bigint): Register =>
  Int32Array.of(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))

/** into <- (from + x) M + 1, where x is the pair (xLow, xHigh). */
export function absorb(into: Register, from: Register, xLow: number, xHigh: number): void {
  const a = (from[0]! + xLow) | 0
  const carry = a >>> 0 < xLow >>> 0 ? 1 : 0
  const b = (from[1]! + xHigh + carry) | 0
  const a0 = a & 0xffff
  const a1 = a >>> 16
  // The upper half of a * low, by 16-bit parts; no partial sum passes 2^32.
  const bottom = Math.imul(a0, low0) >>> 16
  const middle = (Math.imul(a1, low0) >>> 0) + bottom
  const cross = (Math.imul(a0, low1) >>> 0) + (middle & 0xffff)
  const upper = Math.imul(a1, low1) + (middle >>> 16) + (cross >>> 16)
  const product = Math.imul(a, low)
  into[0] = product + 1
  into[1] = upper + Math.imul(a, high) + Math.imul(b, low) + (product === -1 ? 1 : 0)
}

/** Returns the low limb of (h + x) M + 1, which depends on the low limbs of h and x alone. */
export const absorbLow = (value: number, xLow: number): number => (Math.imul((value + xLow) | 0, low) + 1) | 0

/** into <- into >> bits for 0 < bits < 32, keeping the sign, as a shift of a signed 64-bit integer does. */
export function shiftRight(into: Register, bits: number): void {
  into[0] = (into[0]! >>> bits) | (into[1]! << (32 - bits))
  into[1] = into[1]! >> bits
}

/** The register, as a signed integer, mod n, in [0, n); exact for n up to 2^26. */
export function remainder(value: Register, n: number): number {
  if ((n & (n - 1)) === 0) return value[0]! & (n - 1)
  const upper = (((value[1]! % n) + n) * (2 ** 32 % n)) % n
  return (upper + ((value[0]! >>> 0) % n)) % n
}
