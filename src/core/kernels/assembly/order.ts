// The order of the vocabulary by its words.
import { lower, pinned32, pinned64, SIGN, upper } from './vector/lanes'

/** Lists up to `most` of the tokens whose word starts with the bits `bucket` (word >>> shift). Returns how many there are. */
export function inBucket(words: usize, n: i32, shift: i32, bucket: i32, most: i32, ids: usize): i32 {
  const wanted = pinned32(bucket)
  let count = 0
  for (let i = 0; i < n; i += 16) {
    const at = words + (<usize>i << 2)
    if (i + 16 <= n) {
      const hit0 = i32x4.eq(i32x4.shr_u(v128.load(at), shift), wanted)
      const hit1 = i32x4.eq(i32x4.shr_u(v128.load(at, 16), shift), wanted)
      const hit2 = i32x4.eq(i32x4.shr_u(v128.load(at, 32), shift), wanted)
      const hit3 = i32x4.eq(i32x4.shr_u(v128.load(at, 48), shift), wanted)
      // most often there is none among sixteen
      if (!v128.any_true(v128.or(v128.or(hit0, hit1), v128.or(hit2, hit3)))) continue
    }
    for (let j = i; j < min(i + 16, n); j++) {
      if (load<u32>(words + (<usize>j << 2)) >>> shift !== <u32>bucket) continue
      if (count < most) store<i32>(ids + (<usize>count << 2), j)
      count++
    }
  }
  return count
}

/**
 * q = p times 1, plus `low` where word < lowWord, plus `high` where word > highWord. With -1 and 1: the mass below is removed
 * and the mass above counted twice.
 */
export function orderScale(
  p: usize, words: usize, n: i32, lowWord: i32, highWord: i32, low: f64, high: f64, q: usize,
): void {
  const first = pinned32(lowWord ^ SIGN)
  const last = pinned32(highWord ^ SIGN)
  const sign = pinned32(SIGN)
  const one = pinned64(1)
  const below = pinned64(low)
  const above = pinned64(high)
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32, q += 32, words += 16) {
    const w = v128.xor(v128.load(words), sign)
    const isLow = i32x4.lt_s(w, first)
    const isHigh = i32x4.gt_s(w, last)
    const f0 = f64x2.add(f64x2.add(one, v128.and(below, lower(isLow))), v128.and(above, lower(isHigh)))
    const f1 = f64x2.add(f64x2.add(one, v128.and(below, upper(isLow))), v128.and(above, upper(isHigh)))
    v128.store(q, f64x2.mul(v128.load(p), f0))
    v128.store(q, f64x2.mul(v128.load(p, 16), f1), 16)
  }
  for (; i < n; i++, p += 8, q += 8, words += 4) {
    const w = load<u32>(words)
    store<f64>(q, load<f64>(p) * (1 + (w < <u32>lowWord ? low : 0) + (w > <u32>highWord ? high : 0)))
  }
}
