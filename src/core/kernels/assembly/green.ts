// Green tokens: word + shift < threshold (mod 2^32, unsigned).
import { lower, pinned32, pinned64, SIGN, sum, upper } from './vector/lanes'

/** The mass of the green tokens. */
export function greenMass(p: usize, words: usize, n: i32, shift: i32, threshold: i32): f64 {
  const start = pinned32(shift ^ SIGN)
  const end = pinned32(threshold ^ SIGN)
  let sum0 = f64x2.splat(0)
  let sum1 = sum0
  let sum2 = sum0
  let sum3 = sum0
  let i = 0
  for (; i + 8 <= n; i += 8, p += 64, words += 32) {
    const green0 = i32x4.lt_s(i32x4.add(v128.load(words), start), end)
    const green1 = i32x4.lt_s(i32x4.add(v128.load(words, 16), start), end)
    sum0 = f64x2.add(sum0, v128.and(v128.load(p), lower(green0)))
    sum1 = f64x2.add(sum1, v128.and(v128.load(p, 16), upper(green0)))
    sum2 = f64x2.add(sum2, v128.and(v128.load(p, 32), lower(green1)))
    sum3 = f64x2.add(sum3, v128.and(v128.load(p, 48), upper(green1)))
  }
  let total = sum(f64x2.add(f64x2.add(sum0, sum1), f64x2.add(sum2, sum3)))
  for (; i < n; i++, p += 8, words += 4)
    if (load<u32>(words) + <u32>shift < <u32>threshold) total += load<f64>(p)
  return total
}

/** q = p times `green` for green tokens and times `red` for the others. */
export function greenScale(
  p: usize, words: usize, n: i32, shift: i32, threshold: i32, green: f64, red: f64, q: usize,
): void {
  const start = pinned32(shift ^ SIGN)
  const end = pinned32(threshold ^ SIGN)
  // red, with the bits flipped in which green differs: two operations for a choice
  const r = pinned64(red)
  const flips = v128.xor(pinned64(green), r)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, q += 32, words += 16) {
    const isGreen = i32x4.lt_s(i32x4.add(v128.load(words), start), end)
    v128.store(q, f64x2.mul(v128.load(p), v128.xor(r, v128.and(flips, lower(isGreen)))))
    v128.store(q, f64x2.mul(v128.load(p, 16), v128.xor(r, v128.and(flips, upper(isGreen)))), 16)
  }
  for (; i < n; i++, p += 8, q += 8, words += 4) {
    const isGreen = load<u32>(words) + <u32>shift < <u32>threshold
    store<f64>(q, load<f64>(p) * (isGreen ? green : red))
  }
}
