// Tokens in classes, by some bits of their words: the buckets of an order, the channels of MCmark, the bit patterns of a few
// layers of SynthID. Class of a token: (word >>> shift) & mask.
import { pinned32 } from './vector/lanes'

/** mass[c] = the sum of p over class c, for all mask + 1 classes. */
export function classMass(p: usize, words: usize, n: i32, shift: i32, mask: i32, mass: usize): void {
  memory.fill(mass, 0, (<usize>mask + 1) << 3)
  const bits = pinned32(mask << 3)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, words += 16) {
    // the class times 8: a byte offset
    const at = v128.and(i32x4.shl(i32x4.shr_u(v128.load(words), shift), 3), bits)
    add(mass + <usize>i32x4.extract_lane(at, 0), load<f64>(p))
    add(mass + <usize>i32x4.extract_lane(at, 1), load<f64>(p, 8))
    add(mass + <usize>i32x4.extract_lane(at, 2), load<f64>(p, 16))
    add(mass + <usize>i32x4.extract_lane(at, 3), load<f64>(p, 24))
  }
  for (; i < n; i++, p += 8, words += 4)
    add(mass + ((<usize>((load<u32>(words) >>> shift) & <u32>mask)) << 3), load<f64>(p))
}

// @ts-ignore: decorator
@inline
function add(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at) + value)
}

/** q = p times the factor of the token's class. */
export function classScale(
  p: usize, words: usize, n: i32, shift: i32, mask: i32, factor: usize, q: usize,
): void {
  const bits = pinned32(mask << 3)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, q += 32, words += 16) {
    const at = v128.and(i32x4.shl(i32x4.shr_u(v128.load(words), shift), 3), bits)
    const f0 = v128.load_lane<u64>(
      factor + <usize>i32x4.extract_lane(at, 1), v128.load_zero<u64>(factor + <usize>i32x4.extract_lane(at, 0)), 1)
    const f1 = v128.load_lane<u64>(
      factor + <usize>i32x4.extract_lane(at, 3), v128.load_zero<u64>(factor + <usize>i32x4.extract_lane(at, 2)), 1)
    v128.store(q, f64x2.mul(v128.load(p), f0))
    v128.store(q, f64x2.mul(v128.load(p, 16), f1), 16)
  }
  for (; i < n; i++, p += 8, q += 8, words += 4)
    store<f64>(q, load<f64>(p) * load<f64>(factor + ((<usize>((load<u32>(words) >>> shift) & <u32>mask)) << 3)))
}

/**
 * out = words mod l, exactly: with m = floor(2^32 / l) the quotient's estimate (word m) >>> 32 is right or one too small, so
 * the remainder is r or r + l. Returns how many words lie past the last full multiple of l, those that a uniform choice throws
 * away. l is at least 2.
 */
export function remainders(words: usize, n: i32, l: i32, out: usize): i32 {
  const m = <i32>(0x1_0000_0000 / <u64>l)
  const limit = <i32>(0x1_0000_0000 - (0x1_0000_0000 % <u64>l)) // 0 stands for 2^32
  const divisor = pinned32(l)
  const inverse = pinned32(m)
  const least = pinned32(limit)
  let over = i32x4.splat(0)
  let i = 0
  for (; i + 4 <= n; i += 4, words += 16, out += 16) {
    const w = v128.load(words)
    const low = i64x2.extmul_low_i32x4_u(w, inverse)
    const high = i64x2.extmul_high_i32x4_u(w, inverse)
    const quotient = i8x16.shuffle(low, high, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
    const rest = i32x4.sub(w, i32x4.mul(quotient, divisor))
    v128.store(out, i32x4.min_u(rest, i32x4.sub(rest, divisor)))
    over = i32x4.sub(over, i32x4.ge_u(w, least))
  }
  let count = i32x4.extract_lane(over, 0) + i32x4.extract_lane(over, 1) + i32x4.extract_lane(over, 2) + i32x4.extract_lane(over, 3)
  for (; i < n; i++, words += 4, out += 4) {
    const w = load<u32>(words)
    store<u32>(out, w % <u32>l)
    if (w >= <u32>limit) count++
  }
  return limit === 0 ? 0 : count
}
