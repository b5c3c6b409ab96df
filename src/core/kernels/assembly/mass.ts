// Where the mass of a distribution lies.
import { sum } from './vector/lanes'

/** The sum of p; NaN where a value is negative or NaN. */
export function total(p: usize, n: i32): f64 {
  const zero = f64x2.splat(0)
  let sum0 = zero
  let sum1 = zero
  let sum2 = zero
  let sum3 = zero
  let least = zero
  let i = 0
  for (; i + 8 <= n; i += 8, p += 64) {
    const p0 = v128.load(p)
    const p1 = v128.load(p, 16)
    const p2 = v128.load(p, 32)
    const p3 = v128.load(p, 48)
    sum0 = f64x2.add(sum0, p0)
    sum1 = f64x2.add(sum1, p1)
    sum2 = f64x2.add(sum2, p2)
    sum3 = f64x2.add(sum3, p3)
    // NaN may hide a negative value here, but then the sum is NaN anyway
    least = f64x2.pmin(least, f64x2.pmin(f64x2.pmin(p0, p1), f64x2.pmin(p2, p3)))
  }
  let s = sum(f64x2.add(f64x2.add(sum0, sum1), f64x2.add(sum2, sum3)))
  let wrong = v128.any_true(f64x2.lt(least, zero))
  for (; i < n; i++, p += 8) {
    s += load<f64>(p)
    if (load<f64>(p) < 0) wrong = true
  }
  return wrong ? NaN : s
}

/** How many of the first n values are above 0; stops counting somewhere after `most`. n is a multiple of 4. */
// @ts-ignore: decorator
@inline
function countMass(p: usize, n: i32, most: i32): i32 {
  const zero = f64x2.splat(0)
  let count = 0
  for (let i = 0; i < n && count <= most; ) {
    let less = i64x2.splat(0) // a lane that holds mass is -1 in the comparison
    for (const end = min(i + 256, n); i < end; i += 4, p += 32)
      less = i64x2.add(less, i64x2.add(f64x2.gt(v128.load(p), zero), f64x2.gt(v128.load(p, 16), zero)))
    count -= <i32>(i64x2.extract_lane(less, 0) + i64x2.extract_lane(less, 1))
  }
  return count
}

/** Lists the tokens with p > 0 while they are at most `most`; returns how many, or most + 1 where there are more. */
export function support(p: usize, n: i32, most: i32, ids: usize): i32 {
  // counting is faster than listing: most often nearly all tokens have mass, and there is nothing to list
  if (countMass(p, min(n, 2 * most) & ~3, most) > most) return most + 1
  let count = 0
  for (let i = 0; i < n; i += 8) {
    const at = p + (<usize>i << 3)
    const some0 = v128.or(v128.load(at), v128.load(at, 16))
    const some1 = v128.or(v128.load(at, 32), v128.load(at, 48))
    // not a bit set: eight zeros. (The last vectors may reach past the end: only what is before it is looked at.)
    if (!v128.any_true(v128.or(some0, some1))) continue
    if (i + 8 <= n && count + 8 <= most) {
      // without a branch: which tokens have mass cannot be foretold
      for (let j = i; j < i + 8; j++) {
        store<i32>(ids + (<usize>count << 2), j)
        count += <i32>(load<f64>(p + (<usize>j << 3)) > 0)
      }
      continue
    }
    for (let j = i; j < min(i + 8, n); j++) {
      if (!(load<f64>(p + (<usize>j << 3)) > 0)) continue
      if (count === most) return most + 1
      store<i32>(ids + (<usize>count << 2), j)
      count++
    }
  }
  return count
}
