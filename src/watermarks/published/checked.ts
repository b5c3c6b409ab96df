/** Checks of the integers that published codes are keyed with: errors say what kind of value was given, never which. */
import { kindOf } from '../../input.ts'

const outside = (name: string, expected: string): RangeError =>
  new RangeError(`${name}: expected ${expected}, got another number`)

/** A secret integer in [low, high]; numbers beyond 2^53 must be bigints, which alone hold them exactly. */
export function secretInteger(
  name: string,
  value: unknown,
  low: bigint,
  high: bigint,
  expected: string,
): bigint {
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw new TypeError(`${name}: expected ${expected}, got ${kindOf(value)}`)
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw outside(name, `${expected}, as a bigint where it is past 2^53`)
  const wide = BigInt(value)
  if (wide < low || wide > high) throw outside(name, expected)
  return wide
}

/** A secret integer of 64 bits, signed or not. */
export const secret64 = (name: string, value: unknown): bigint =>
  secretInteger(name, value, -(2n ** 63n), 2n ** 64n - 1n, 'an integer in [-2^63, 2^64)')

/** A secret integer of 32 bits. */
export const secret32 = (name: string, value: unknown): number =>
  Number(secretInteger(name, value, 0n, 2n ** 32n - 1n, 'an integer in [0, 2^32)'))
