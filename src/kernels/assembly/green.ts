// Green tokens: word + shift < threshold (mod 2^32, unsigned).
import { lower, SIGN, sum, upper } from './lanes'

/** The mass of the green tokens. */
export function greenMass(p: usize, words: usize, n: i32, shift: i32, threshold: i32): f64 {
  const start = i32x4.splat(shift ^ SIGN)
  const end = i32x4.splat(threshold ^ SIGN)
  let sum0 = f64x2.splat(0)
  let sum1 = f64x2.splat(0)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, words += 16) {
    const green = i32x4.lt_s(i32x4.add(v128.load(words), start), end)
    sum0 = f64x2.add(sum0, v128.and(v128.load(p), lower(green)))
    sum1 = f64x2.add(sum1, v128.and(v128.load(p, 16), upper(green)))
  }
  let total = sum(f64x2.add(sum0, sum1))
  for (; i < n; i++, p += 8, words += 4)
    if (load<u32>(words) + <u32>shift < <u32>threshold) total += load<f64>(p)
  return total
}

/** q = p times `green` for green tokens and times `red` for the others. */
export function greenScale(
  p: usize, words: usize, n: i32, shift: i32, threshold: i32, green: f64, red: f64, q: usize,
): void {
  const start = i32x4.splat(shift ^ SIGN)
  const end = i32x4.splat(threshold ^ SIGN)
  const g = f64x2.splat(green)
  const r = f64x2.splat(red)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, q += 32, words += 16) {
    const isGreen = i32x4.lt_s(i32x4.add(v128.load(words), start), end)
    v128.store(q, f64x2.mul(v128.load(p), v128.bitselect(g, r, lower(isGreen))))
    v128.store(q, f64x2.mul(v128.load(p, 16), v128.bitselect(g, r, upper(isGreen))), 16)
  }
  for (; i < n; i++, p += 8, q += 8, words += 4) {
    const isGreen = load<u32>(words) + <u32>shift < <u32>threshold
    store<f64>(q, load<f64>(p) * (isGreen ? green : red))
  }
}
