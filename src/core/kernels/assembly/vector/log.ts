// The natural logarithm of normal numbers x > 0 in two float64 lanes, good to 1 ulp (the algorithm of fdlibm): x = 2^k m with m
// between sqrt(1/2) and sqrt(2), f = m - 1, s = f / (2 + f), and
//   ln m = f - f^2/2 + s (f^2/2 + R),  R = s^2 (L1 + s^2 (L2 + ... + s^2 L7))
import { constant64 } from './lanes'

const NUMBERS = memory.data<f64>([
  6.666666666666735130e-1, 3.999999999940941908e-1, 2.857142874366239149e-1, 2.222219843214978396e-1,
  1.818357216161805012e-1, 1.531383769920937332e-1, 1.479819860511658591e-1,
  6.93147180369123816490e-1, 1.90821492927058770002e-10, 4503599627371519, 0.5, 1, 2,
])
export const L1 = NUMBERS
export const L2 = NUMBERS + 8
export const L3 = NUMBERS + 16
export const L4 = NUMBERS + 24
export const L5 = NUMBERS + 32
export const L6 = NUMBERS + 40
export const L7 = NUMBERS + 48
export const LN2_HIGH = NUMBERS + 56 // ends in zeros: k times it is exact
export const LN2_LOW = NUMBERS + 64
export const BIAS = NUMBERS + 72 // 2^52 + 1023
export const HALF = NUMBERS + 80
export const ONE = NUMBERS + 88
export const TWO = NUMBERS + 96

const BITS = memory.data<u64>([
  0x0009_5f62_0000_0000, 0x3fe6_a09e_0000_0000, 0x000f_ffff_ffff_ffff, 0x4330_0000_0000_0000,
])
const TO_ONE = BITS // of 1 less those of sqrt(1/2): adding them brings the exponent of m to 0
const SQRT_HALF = BITS + 8
export const MANTISSA = BITS + 16
export const EXPONENT = BITS + 24 // of 2^52

// @ts-ignore: decorator
@inline
export function log(x: v128): v128 {
  const bits = i64x2.add(x, constant64(TO_ONE))
  const m = i64x2.add(v128.and(bits, constant64(MANTISSA)), constant64(SQRT_HALF))
  // the exponent beneath the bits of 2^52 is the number 2^52 + k + 1023
  const k = f64x2.sub(v128.or(i64x2.shr_u(bits, 52), constant64(EXPONENT)), constant64(BIAS))
  const f = f64x2.sub(m, constant64(ONE))
  const s = f64x2.div(f, f64x2.add(f, constant64(TWO)))
  const z = f64x2.mul(s, s)
  const w = f64x2.mul(z, z)
  let odd = f64x2.add(constant64(L5), f64x2.mul(w, constant64(L7)))
  odd = f64x2.add(constant64(L3), f64x2.mul(w, odd))
  odd = f64x2.mul(z, f64x2.add(constant64(L1), f64x2.mul(w, odd)))
  let even = f64x2.add(constant64(L4), f64x2.mul(w, constant64(L6)))
  even = f64x2.mul(w, f64x2.add(constant64(L2), f64x2.mul(w, even)))
  const half = f64x2.mul(f64x2.mul(f, f), constant64(HALF))
  const rest = f64x2.add(f64x2.mul(s, f64x2.add(half, f64x2.add(odd, even))), f64x2.mul(k, constant64(LN2_LOW)))
  return f64x2.sub(f64x2.mul(k, constant64(LN2_HIGH)), f64x2.sub(f64x2.sub(half, rest), f))
}
