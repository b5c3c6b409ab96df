import { exp, STEPS, UNIT } from './vector/exp'
import { sum } from './vector/lanes'

// @ts-ignore: decorator
@inline
function scale(p: usize, n: i32, factor: f64): void {
  const f = f64x2.splat(factor)
  let i = 0
  for (; i + 8 <= n; i += 8, p += 64) {
    v128.store(p, f64x2.mul(v128.load(p), f))
    v128.store(p, f64x2.mul(v128.load(p, 16), f), 16)
    v128.store(p, f64x2.mul(v128.load(p, 32), f), 32)
    v128.store(p, f64x2.mul(v128.load(p, 48), f), 48)
  }
  for (; i < n; i++, p += 8) store<f64>(p, load<f64>(p) * factor)
}

/** The largest of the logits; NaN does not count. Four vectors at a time: a comparison need not wait for the one before it. */
// @ts-ignore: decorator
@inline
function largest32(logits: usize, n: i32): f64 {
  let top0 = f32x4.splat(-Infinity)
  let top1 = top0
  let top2 = top0
  let top3 = top0
  let i = 0
  for (; i + 16 <= n; i += 16, logits += 64) {
    top0 = f32x4.pmax(top0, v128.load(logits))
    top1 = f32x4.pmax(top1, v128.load(logits, 16))
    top2 = f32x4.pmax(top2, v128.load(logits, 32))
    top3 = f32x4.pmax(top3, v128.load(logits, 48))
  }
  for (; i < n; i++, logits += 4) top0 = f32x4.pmax(top0, v128.load_splat<u32>(logits))
  const top = f32x4.pmax(f32x4.pmax(top0, top1), f32x4.pmax(top2, top3))
  const pair = f32x4.pmax(top, i8x16.shuffle(top, top, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
  return <f64>max(f32x4.extract_lane(pair, 0), f32x4.extract_lane(pair, 1))
}

/**
 * p = softmax of float32 logits times `sharpness` (1 / temperature). Returns the sum of e^(sharpness (logit - largest)): NaN
 * where the logits have no softmax.
 */
export function softmax32(logits: usize, n: i32, sharpness: f64, p: usize): f64 {
  const largest = f64x2.splat(largest32(logits, n))
  const sharp = f64x2.splat(sharpness * STEPS)
  let sum0 = f64x2.splat(0)
  let sum1 = sum0
  let i = 0
  let to = p
  for (; i + 4 <= n; i += 4, logits += 16, to += 32) {
    const x0 = f64x2.promote_low_f32x4(v128.load_zero<u64>(logits))
    const x1 = f64x2.promote_low_f32x4(v128.load_zero<u64>(logits, 8))
    const e0 = exp(f64x2.mul(f64x2.sub(x0, largest), sharp), to)
    const e1 = exp(f64x2.mul(f64x2.sub(x1, largest), sharp), to + 16)
    v128.store(to, e0)
    v128.store(to, e1, 16)
    sum0 = f64x2.add(sum0, e0)
    sum1 = f64x2.add(sum1, e1)
  }
  let total = sum(f64x2.add(sum0, sum1))
  for (; i < n; i++, logits += 4, to += 8) total += exp1(<f64>load<f32>(logits), largest, sharp, to)
  scale(p, n, 1 / total)
  return total * UNIT
}

/** One value at the end of an array; the vector's other lane goes nowhere. */
const rest = memory.data(16, 16)

// @ts-ignore: decorator
@inline
function exp1(x: f64, largest: v128, sharp: v128, to: usize): f64 {
  const e = f64x2.extract_lane(exp(f64x2.mul(f64x2.sub(f64x2.splat(x), largest), sharp), rest), 0)
  store<f64>(to, e)
  return e
}

/** The same of float64 logits. p may be the logits themselves. */
export function softmax64(logits: usize, n: i32, sharpness: f64, p: usize): f64 {
  const sharp = f64x2.splat(sharpness * STEPS)
  let top = f64x2.splat(-Infinity)
  let i = 0
  for (; i + 2 <= n; i += 2) top = f64x2.pmax(top, v128.load(logits + (<usize>i << 3)))
  if (i < n) top = f64x2.pmax(top, v128.load_splat<u64>(logits + (<usize>i << 3)))
  const largest = f64x2.splat(max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1)))
  let sum0 = f64x2.splat(0)
  let sum1 = sum0
  let to = p
  for (i = 0; i + 4 <= n; i += 4, logits += 32, to += 32) {
    const x0 = v128.load(logits)
    const x1 = v128.load(logits, 16)
    const e0 = exp(f64x2.mul(f64x2.sub(x0, largest), sharp), to)
    const e1 = exp(f64x2.mul(f64x2.sub(x1, largest), sharp), to + 16)
    v128.store(to, e0)
    v128.store(to, e1, 16)
    sum0 = f64x2.add(sum0, e0)
    sum1 = f64x2.add(sum1, e1)
  }
  let total = sum(f64x2.add(sum0, sum1))
  for (; i < n; i++, logits += 8, to += 8) total += exp1(load<f64>(logits), largest, sharp, to)
  scale(p, n, 1 / total)
  return total * UNIT
}
