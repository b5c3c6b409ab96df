// The natural logarithm of normal numbers x > 0 in two float64 lanes, good to 1 ulp (the algorithm of fdlibm): x = 2^k m with m
// between sqrt(1/2) and sqrt(2), f = m - 1, s = f / (2 + f), and
//   ln m = f - f^2/2 + s (f^2/2 + R),  R = s^2 (L1 + s^2 (L2 + ... + s^2 L7))

const LN2_HIGH: f64 = 6.93147180369123816490e-1 // ends in zeros: k times it is exact
const LN2_LOW: f64 = 1.90821492927058770002e-10
const L1: f64 = 6.666666666666735130e-1
const L2: f64 = 3.999999999940941908e-1
const L3: f64 = 2.857142874366239149e-1
const L4: f64 = 2.222219843214978396e-1
const L5: f64 = 1.818357216161805012e-1
const L6: f64 = 1.531383769920937332e-1
const L7: f64 = 1.479819860511658591e-1

// @ts-ignore: decorator
@inline
export function log(x: v128): v128 {
  // the bits of 1 less those of sqrt(1/2): adding them brings the exponent of m to 0
  const bits = i64x2.add(x, i64x2.splat(0x0009_5f62_0000_0000))
  const m = i64x2.add(v128.and(bits, i64x2.splat(0x000f_ffff_ffff_ffff)), i64x2.splat(0x3fe6_a09e_0000_0000))
  // the exponent beneath the bits of 2^52 is the number 2^52 + k + 1023
  const k = f64x2.sub(
    v128.or(i64x2.shr_u(bits, 52), i64x2.splat(0x4330_0000_0000_0000)),
    f64x2.splat(4503599627370496 + 1023),
  )
  const f = f64x2.sub(m, f64x2.splat(1))
  const s = f64x2.div(f, f64x2.add(f, f64x2.splat(2)))
  const z = f64x2.mul(s, s)
  const w = f64x2.mul(z, z)
  let odd = f64x2.add(f64x2.splat(L5), f64x2.mul(w, f64x2.splat(L7)))
  odd = f64x2.add(f64x2.splat(L3), f64x2.mul(w, odd))
  odd = f64x2.mul(z, f64x2.add(f64x2.splat(L1), f64x2.mul(w, odd)))
  let even = f64x2.add(f64x2.splat(L4), f64x2.mul(w, f64x2.splat(L6)))
  even = f64x2.mul(w, f64x2.add(f64x2.splat(L2), f64x2.mul(w, even)))
  const half = f64x2.mul(f64x2.mul(f, f), f64x2.splat(0.5))
  const rest = f64x2.add(f64x2.mul(s, f64x2.add(half, f64x2.add(odd, even))), f64x2.mul(k, f64x2.splat(LN2_LOW)))
  return f64x2.sub(f64x2.mul(k, f64x2.splat(LN2_HIGH)), f64x2.sub(f64x2.sub(half, rest), f))
}
