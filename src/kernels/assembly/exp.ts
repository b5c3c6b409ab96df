// e^x for x <= 0 in two float64 lanes, good to about 1 ulp (Tang 1989, "Table-driven implementation of the exponential
// function"): x = (64 m + j) ln2/64 + r with |r| <= ln2/128, and e^x = 2^m 2^(j/64) e^r, e^r by its Taylor polynomial of
// degree 5 (the next term is below 4e-17).

/** 2^(j/64), correctly rounded. */
const POWERS = memory.data<f64>([
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

/** Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits of the mantissa. */
const ROUND: f64 = 6755399441055744
const INVERSE_STEP: f64 = 92.33248261689366 // 64 / ln 2
const STEP_HIGH: f64 = 0.010830424695086549 // ln 2 / 64 in two parts; the high one has 20 zero bits, so n * high is exact
const STEP_LOW: f64 = 1.162596423439437e-12
/** Below this e^x is (nearly) subnormal: 0 is written. NaN is not below it, and goes through. */
const LEAST: f64 = -708

// @ts-ignore: decorator
@inline
export function exp(x: v128): v128 {
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(INVERSE_STEP)), f64x2.splat(ROUND))
  const n = f64x2.sub(shifted, f64x2.splat(ROUND))
  const r = f64x2.sub(
    f64x2.sub(x, f64x2.mul(n, f64x2.splat(STEP_HIGH))),
    f64x2.mul(n, f64x2.splat(STEP_LOW)),
  )
  // e^r - 1 = r + r^2 (1/2 + r/6 + r^2 (1/24 + r/120))
  const r2 = f64x2.mul(r, r)
  const low = f64x2.add(f64x2.splat(0.5), f64x2.mul(r, f64x2.splat(1.0 / 6.0)))
  const high = f64x2.add(f64x2.splat(1.0 / 24.0), f64x2.mul(r, f64x2.splat(1.0 / 120.0)))
  const less1 = f64x2.add(r, f64x2.mul(r2, f64x2.add(low, f64x2.mul(r2, high))))
  const j0 = <usize>(i64x2.extract_lane(shifted, 0) & 63)
  const j1 = <usize>(i64x2.extract_lane(shifted, 1) & 63)
  const power = v128.load_lane<u64>(POWERS + (j1 << 3), v128.load_zero<u64>(POWERS + (j0 << 3)), 1)
  const mantissa = f64x2.add(power, f64x2.mul(power, less1))
  const exponent = i64x2.shl(i64x2.shr_u(shifted, 6), 52)
  return v128.andnot(i64x2.add(mantissa, exponent), f64x2.lt(x, f64x2.splat(LEAST)))
}
