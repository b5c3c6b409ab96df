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

/** 2^(j/64) and 2^(j/1024), correctly rounded; the table is made of their products. */
const COARSE = memory.data<f64>([
  1.0, 1.0108892860517005, 1.0218971486541166, 1.0330248790212284,
  1.0442737824274138, 1.0556451783605572, 1.0671404006768237, 1.0787607977571199,
  1.0905077326652577, 1.102382583307841, 1.1143867425958924, 1.1265216186082418,
  1.1387886347566916, 1.1511892299529827, 1.1637248587775775, 1.1763969916502812,
  1.189207115002721, 1.202156731452703, 1.215247359980469, 1.22848053610687,
  1.241857812073484, 1.255380757024691, 1.2690509571917332, 1.2828700160787783,
  1.2968395546510096, 1.3109612115247644, 1.3252366431597413, 1.339667524053303,
  1.3542555469368927, 1.3690024229745905, 1.383909881963832, 1.3989796725383112,
  1.4142135623730951, 1.42961333839197, 1.4451808069770467, 1.460917794180647,
  1.4768261459394993, 1.4929077282912648, 1.5091644275934228, 1.5255981507445384,
  1.5422108254079407, 1.559004400237837, 1.5759808451078865, 1.593142151342267,
  1.6104903319492543, 1.6280274218573478, 1.645755478153965, 1.6636765803267364,
  1.681792830507429, 1.7001063537185235, 1.718619298122478, 1.7373338352737062,
  1.7562521603732995, 1.7753764925265212, 1.7947090750031072, 1.8142521755003989,
  1.8340080864093424, 1.8539791250833855, 1.8741676341103, 1.8945759815869656,
  1.9152065613971474, 1.9360617934922943, 1.9571441241754002, 1.978456026387951,
])
const FINE = memory.data<f64>([
  1.0, 1.0006771306930664, 1.0013547198921082, 1.002032767907594,
  1.0027112750502025, 1.0033902416308227, 1.004069667960554, 1.0047495543507072,
  1.0054299011128027, 1.006110708558573, 1.0067919769999607, 1.0074737067491204,
  1.0081558981184175, 1.0088385514204294, 1.0095216669679448, 1.0102052450739643,
])

/** The bits of 2^(j/1024) less j << 42: adding n << 42 gives 2^(n/1024) for every n that ends in the bits j. */
const TABLE = memory.data(8192, 16)
for (let j = 0; j < 1024; j++) {
  const power = load<f64>(COARSE + (<usize>(j >> 4) << 3)) * load<f64>(FINE + (<usize>(j & 15) << 3))
  store<u64>(TABLE + (<usize>j << 3), reinterpret<u64>(power) - (<u64>j << 42))
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
