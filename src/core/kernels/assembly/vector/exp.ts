// e^x for x <= 0 in two float64 lanes (Tang 1989, "Table-driven implementation of the exponential function"). With x in steps of
// ln2/1024, x = n + r, n whole and |r| <= 1/2, e^x = 2^(n/1024) 2^(r/1024). The first factor comes from a table, the second
// from a polynomial of degree 3: the Taylor series with its term of degree 4 economised (Chebyshev), off by less than 1e-16.
//
// The polynomial is divided by its leading coefficient, which saves a multiplication: what comes out is e^x / UNIT. Sums and
// ratios do not mind.

// with L = ln2/1024
/** The polynomial's leading coefficient, L^3 / 6. */
export const UNIT: f64 = 5.1692229383458926e-11
const CUBIC2: f64 = 4431.959207917242 // (1/2 + L^2/96) L^2 / UNIT
const CUBIC1: f64 = 13094841.363761617 // L / UNIT
const CUBIC0: f64 = 19345267401.44799 // 1 / UNIT

/** Steps per unit of x: 1024 / ln 2. */
export const STEPS: f64 = 1477.3197218702985
/** Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the mantissa. */
const ROUND: f64 = 6755399441055744
/** Below this 2^(n/1024) is not a normal number: 0 is written. NaN is not below it, and goes through. */
const LEAST: f64 = -708.0 * STEPS

/** 2^(1/1024) as a sum of two numbers, and the number that cuts a float64 into halves of 26 bits (Dekker 1971). */
const ROOT: f64 = 1.0006771306930664
const REST: f64 = -5.1151232976856676e-17
const CUT: f64 = 134217729

/** The upper half of a number's bits: products of halves are exact. */
// @ts-ignore: decorator
@inline
function half(x: f64): f64 {
  const big = CUT * x
  return big - (big - x)
}

/**
 * The bits of 2^(j/1024) less j << 42: adding n << 42 gives 2^(n/1024) for every n that ends in the bits j. Each is the product of two
 * correctly rounded powers, 2^(i/64) and 2^(k/1024), and these come from the powers of ROOT + REST, each a sum of two numbers as well.
 */
const TABLE = memory.data(8192, 16)
tabulate()

function tabulate(): void {
  let x: f64 = 1
  let below: f64 = 0
  let coarse: f64 = 1
  for (let j = 0; j < 1024; j++) {
    const k = <u64>(j & 15)
    if (k === 0) coarse = x
    const fine = j < 16 ? x : reinterpret<f64>(load<u64>(TABLE + (<usize>k << 3)) + (k << 42))
    store<u64>(TABLE + (<usize>j << 3), reinterpret<u64>(coarse * fine) - (<u64>j << 42))
    const product = x * ROOT
    const upper = half(x)
    const root = half(ROOT)
    const error = upper * root - product + upper * (ROOT - root) + (x - upper) * root + (x - upper) * (ROOT - root)
    const correction = error + x * REST + below * ROOT
    x = product + correction
    below = correction - (x - product)
  }
}

/**
 * e^x / UNIT for x given in steps. `room` is 16 bytes that may be overwritten: lanes go through memory, which is cheaper than
 * extracting them.
 */
// @ts-ignore: decorator
@inline
export function exp(x: v128, room: usize): v128 {
  const shifted = f64x2.add(x, f64x2.splat(ROUND))
  const r = f64x2.sub(x, f64x2.sub(shifted, f64x2.splat(ROUND)))
  v128.store(room, v128.and(i64x2.shl(shifted, 3), i64x2.splat(8184))) // 8 j: byte offsets
  const j0 = <usize>load<u32>(room)
  const j1 = <usize>load<u32>(room, 8)
  const entries = v128.load_lane<u64>(j1, v128.load_zero<u64>(j0, TABLE), 1, TABLE)
  const power = i64x2.add(entries, i64x2.shl(shifted, 42))
  const quadratic = f64x2.add(f64x2.mul(f64x2.add(r, f64x2.splat(CUBIC2)), r), f64x2.splat(CUBIC1))
  const cubic = f64x2.add(f64x2.mul(quadratic, r), f64x2.splat(CUBIC0))
  return v128.andnot(f64x2.mul(power, cubic), f64x2.lt(x, f64x2.splat(LEAST)))
}
