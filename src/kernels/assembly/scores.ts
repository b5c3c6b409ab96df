// The evidence of many tokens under one code of exponentials (src/watermarks/gumbel-max.ts).
import { mix } from './vector/mix'
import { log } from './vector/log'

/** A 64-bit fraction as a number in (0, 1), the upper edge of its cell: `toUniform` of src/keys/random.ts plus 2^-65. */
// @ts-ignore: decorator
@inline
function upperEdge(high: v128, low: v128): v128 {
  const unit = f64x2.splat(1.0 / 4294967296.0)
  const fraction = f64x2.mul(f64x2.add(f64x2.convert_low_i32x4_u(low), f64x2.splat(0.5)), unit)
  const v = f64x2.mul(f64x2.add(f64x2.convert_low_i32x4_u(high), fraction), unit)
  const below1 = f64x2.min(v, f64x2.splat(0.9999999999999999)) // 1 - 2^-53
  return f64x2.min(f64x2.add(below1, f64x2.splat(2.710505431213761e-20)), f64x2.splat(1)) // 2^-65
}

/** Where the last vectors go, which may reach past the end. */
const SPARE = memory.data(32, 16)

/** out[i] = -ln v of token i under the round keys. */
export function exponentialScores(
  tokens: usize, n: i32, k0: i32, k1: i32, k2: i32, k3: i32, out: usize,
): void {
  for (let i = 0; i < n; i += 4, tokens += 16, out += 32) {
    const token = v128.load(tokens)
    const high = mix(token, k0, k1, k2, k3)
    const low = mix(v128.xor(token, i32x4.splat(0x80000000)), k0, k1, k2, k3)
    const high1 = i8x16.shuffle(high, high, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
    const low1 = i8x16.shuffle(low, low, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
    const to = i + 4 <= n ? out : SPARE
    v128.store(to, f64x2.neg(log(upperEdge(high, low))))
    v128.store(to, f64x2.neg(log(upperEdge(high1, low1))), 16)
  }
  if ((n & 3) !== 0) memory.copy(out - 32, SPARE, <usize>(n & 3) << 3)
}
