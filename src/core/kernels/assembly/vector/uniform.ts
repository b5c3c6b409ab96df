// Numbers in (0, 1) from pairs of keyed words, two at a time.
import { constant64 } from './lanes'
import { HALF, ONE } from './log'

const NUMBERS = memory.data<f64>([2.3283064365386963e-10, 0.9999999999999999, 2.710505431213761e-20])
const UNIT = NUMBERS // 2^-32
const BELOW_ONE = NUMBERS + 8 // 1 - 2^-53
const CELL = NUMBERS + 16 // 2^-65

/** The numbers in (0, 1) of two first and two second words, in lanes 0 and 1: `toUniform` of src/core/kernels/mix.ts. */
// @ts-ignore: decorator
@inline
export function uniform(high: v128, low: v128): v128 {
  const unit = constant64(UNIT)
  const fraction = f64x2.mul(f64x2.add(f64x2.convert_low_i32x4_u(low), constant64(HALF)), unit)
  const u = f64x2.mul(f64x2.add(f64x2.convert_low_i32x4_u(high), fraction), unit)
  return f64x2.pmin(u, constant64(BELOW_ONE))
}

/** Lanes 2 and 3, moved to 0 and 1. */
// @ts-ignore: decorator
@inline
export function upperLanes(x: v128): v128 {
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}

/** The upper edge of a number's cell: towards less evidence. */
// @ts-ignore: decorator
@inline
export function upperEdge(u: v128): v128 {
  return f64x2.pmin(f64x2.add(u, constant64(CELL)), constant64(ONE))
}
