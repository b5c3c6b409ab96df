// The natural logarithm of normal numbers x > 0 in two float64 lanes, with the very bits of Math.log where that is fdlibm's, as in V8:
// the algorithm of ./log with fdlibm's own border between exponents and its three ways to add up. With k ln 2 = high + low,
//   ln x = high - (inner - f),   inner = f^2/2 - (s (f^2/2 + R) + low)  for m near the borders of its range,
//                                        f^2 (1/2 - f/3) - low          for |f| < 2^-20,
//                                        s (f - R) - low                elsewhere.
import { constant64 } from './lanes'
import { BIAS, EXPONENT, HALF, L1, L2, L3, L4, L5, L6, L7, LN2_HIGH, LN2_LOW, MANTISSA, ONE, TWO } from './log'

const BITS = memory.data<u64>([
  0x0009_5f64_0000_0000, 0x0010_0000_0000_0000, 0x3ff0_0000_0000_0000, 0x0006_1479_ffff_ffff, 0x0006_b852_0000_0000,
  0x0000_0002_0000_0000, 0x0000_0003_0000_0000,
])
const BORDER = BITS // mantissas that this carries over a power of two belong to the next exponent
const CARRY = BITS + 8
const EXPONENT_OF_ONE = BITS + 16
const BELOW_FIRST = BITS + 24 // the mantissas between these two are near the borders
const BEHIND_LAST = BITS + 32
const NEAR_ONE = BITS + 40 // f is small if the mantissa and this, without the carry, are less than the next
const NEAR_ONE_END = BITS + 48

const THIRD = memory.data<f64>([0.33333333333333333])

// @ts-ignore: decorator
@inline
export function sameLog(x: v128): v128 {
  const mantissa = v128.and(x, constant64(MANTISSA))
  const carry = v128.and(i64x2.add(mantissa, constant64(BORDER)), constant64(CARRY))
  const m = v128.or(mantissa, v128.xor(carry, constant64(EXPONENT_OF_ONE)))
  const exponent = i64x2.add(i64x2.shr_u(x, 52), i64x2.shr_u(carry, 52))
  const k = f64x2.sub(v128.or(exponent, constant64(EXPONENT)), constant64(BIAS))
  const f = f64x2.sub(m, constant64(ONE))
  const s = f64x2.div(f, f64x2.add(f, constant64(TWO)))
  const z = f64x2.mul(s, s)
  const w = f64x2.mul(z, z)
  let odd = f64x2.add(constant64(L5), f64x2.mul(w, constant64(L7)))
  odd = f64x2.add(constant64(L3), f64x2.mul(w, odd))
  odd = f64x2.mul(z, f64x2.add(constant64(L1), f64x2.mul(w, odd)))
  let even = f64x2.add(constant64(L4), f64x2.mul(w, constant64(L6)))
  even = f64x2.mul(w, f64x2.add(constant64(L2), f64x2.mul(w, even)))
  const rest = f64x2.add(odd, even)
  const square = f64x2.mul(f, f)
  const half = f64x2.mul(square, constant64(HALF))
  const low = f64x2.mul(k, constant64(LN2_LOW))
  const atBorders = f64x2.sub(half, f64x2.add(f64x2.mul(s, f64x2.add(half, rest)), low))
  const small = f64x2.mul(square, f64x2.sub(constant64(HALF), f64x2.mul(f, constant64(THIRD))))
  const isSmall = i64x2.lt_s(
    v128.and(i64x2.add(mantissa, constant64(NEAR_ONE)), constant64(MANTISSA)),
    constant64(NEAR_ONE_END),
  )
  const elsewhere = f64x2.sub(v128.bitselect(small, f64x2.mul(s, f64x2.sub(f, rest)), isSmall), low)
  const isAtBorders = v128.and(
    i64x2.gt_s(mantissa, constant64(BELOW_FIRST)),
    i64x2.lt_s(mantissa, constant64(BEHIND_LAST)),
  )
  const inner = v128.bitselect(atBorders, elsewhere, isAtBorders)
  return f64x2.sub(f64x2.mul(k, constant64(LN2_HIGH)), f64x2.sub(inner, f))
}
