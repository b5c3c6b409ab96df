import { exp } from './exp'
import { sum } from './lanes'

// @ts-ignore: decorator
@inline
function scale(p: usize, n: i32, factor: f64): void {
  const f = f64x2.splat(factor)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32) {
    v128.store(p, f64x2.mul(v128.load(p), f))
    v128.store(p, f64x2.mul(v128.load(p, 16), f), 16)
  }
  for (; i < n; i++, p += 8) store<f64>(p, load<f64>(p) * factor)
}

/**
 * p = softmax of float32 logits times `sharpness` (1 / temperature). Returns the sum of e^(sharpness (logit - largest)): NaN
 * where the logits have no softmax.
 */
export function softmax32(logits: usize, n: i32, sharpness: f64, p: usize): f64 {
  const sharp = f64x2.splat(sharpness)
  let top = f32x4.splat(-Infinity)
  let i = 0
  for (; i + 4 <= n; i += 4) top = f32x4.pmax(top, v128.load(logits + (<usize>i << 2)))
  for (; i < n; i++) top = f32x4.pmax(top, v128.load_splat<u32>(logits + (<usize>i << 2)))
  const pair = f32x4.pmax(top, i8x16.shuffle(top, top, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
  const largest = f64x2.splat(<f64>max(f32x4.extract_lane(pair, 0), f32x4.extract_lane(pair, 1)))
  let sum0 = f64x2.splat(0)
  let sum1 = f64x2.splat(0)
  for (i = 0; i + 4 <= n; i += 4) {
    const x = v128.load(logits + (<usize>i << 2))
    const upper = i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
    const e0 = exp(f64x2.mul(f64x2.sub(f64x2.promote_low_f32x4(x), largest), sharp))
    const e1 = exp(f64x2.mul(f64x2.sub(f64x2.promote_low_f32x4(upper), largest), sharp))
    v128.store(p + (<usize>i << 3), e0)
    v128.store(p + (<usize>i << 3), e1, 16)
    sum0 = f64x2.add(sum0, e0)
    sum1 = f64x2.add(sum1, e1)
  }
  let total = sum(f64x2.add(sum0, sum1))
  for (; i < n; i++) {
    const e = exp(f64x2.mul(f64x2.sub(f64x2.splat(<f64>load<f32>(logits + (<usize>i << 2))), largest), sharp))
    store<f64>(p + (<usize>i << 3), f64x2.extract_lane(e, 0))
    total += f64x2.extract_lane(e, 0)
  }
  scale(p, n, 1 / total)
  return total
}

/** The same of float64 logits. p may be the logits themselves. */
export function softmax64(logits: usize, n: i32, sharpness: f64, p: usize): f64 {
  const sharp = f64x2.splat(sharpness)
  let top = f64x2.splat(-Infinity)
  let i = 0
  for (; i + 2 <= n; i += 2) top = f64x2.pmax(top, v128.load(logits + (<usize>i << 3)))
  if (i < n) top = f64x2.pmax(top, v128.load_splat<u64>(logits + (<usize>i << 3)))
  const largest = f64x2.splat(max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1)))
  let sum0 = f64x2.splat(0)
  let sum1 = f64x2.splat(0)
  for (i = 0; i + 4 <= n; i += 4) {
    const e0 = exp(f64x2.mul(f64x2.sub(v128.load(logits + (<usize>i << 3)), largest), sharp))
    const e1 = exp(f64x2.mul(f64x2.sub(v128.load(logits + (<usize>i << 3), 16), largest), sharp))
    v128.store(p + (<usize>i << 3), e0)
    v128.store(p + (<usize>i << 3), e1, 16)
    sum0 = f64x2.add(sum0, e0)
    sum1 = f64x2.add(sum1, e1)
  }
  let total = sum(f64x2.add(sum0, sum1))
  for (; i < n; i++) {
    const e = exp(f64x2.mul(f64x2.sub(v128.load_splat<u64>(logits + (<usize>i << 3)), largest), sharp))
    store<f64>(p + (<usize>i << 3), f64x2.extract_lane(e, 0))
    total += f64x2.extract_lane(e, 0)
  }
  scale(p, n, 1 / total)
  return total
}
