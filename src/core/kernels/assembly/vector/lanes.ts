// Small moves between vector lanes.

/** The sum of two float64 lanes. */
// @ts-ignore: decorator
@inline
export function sum(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1)
}

/** The lower two 32-bit masks as 64-bit masks. */
// @ts-ignore: decorator
@inline
export function lower(mask: v128): v128 {
  return i64x2.extend_low_i32x4_s(mask)
}

/** The upper two 32-bit masks as 64-bit masks. */
// @ts-ignore: decorator
@inline
export function upper(mask: v128): v128 {
  return i64x2.extend_high_i32x4_s(mask)
}

/** Turns unsigned 32-bit words into signed ones in the same order: signed comparison is one instruction, unsigned three. */
export const SIGN: i32 = 0x80000000

const PINNED = memory.data(16, 16)

/**
 * A number in all lanes, kept in a register. The compilers take a splat for a constant that is best made anew where it is used,
 * inside the loop; what comes from memory they leave alone.
 */
// @ts-ignore: decorator
@inline
export function pinned32(x: i32): v128 {
  store<i32>(PINNED, x)
  return v128.load_splat<u32>(PINNED)
}

// @ts-ignore: decorator
@inline
export function pinned64(x: f64): v128 {
  store<f64>(PINNED, x)
  return v128.load_splat<u64>(PINNED)
}

/**
 * A constant in both lanes, from where `memory.data` put it. Loading it inside a loop costs one instruction, making it of an
 * immediate several; for long loops with few constants, pin them.
 */
// @ts-ignore: decorator
@inline
export function constant64(at: usize): v128 {
  return v128.load_splat<u64>(at)
}

// @ts-ignore: decorator
@inline
export function constant32(at: usize): v128 {
  return v128.load_splat<u32>(at)
}
