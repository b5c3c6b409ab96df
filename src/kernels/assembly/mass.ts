// Where the mass of a distribution lies.
import { sum } from './lanes'

/** The sum of p; NaN where a value is negative or NaN. */
export function total(p: usize, n: i32): f64 {
  const zero = f64x2.splat(0)
  let sum0 = zero
  let sum1 = zero
  let negative = zero
  let i = 0
  for (; i + 4 <= n; i += 4, p += 32) {
    const p0 = v128.load(p)
    const p1 = v128.load(p, 16)
    sum0 = f64x2.add(sum0, p0)
    sum1 = f64x2.add(sum1, p1)
    negative = v128.or(negative, f64x2.lt(f64x2.pmin(p0, p1), zero))
  }
  let s = sum(f64x2.add(sum0, sum1))
  let wrong = v128.any_true(negative)
  for (; i < n; i++, p += 8) {
    s += load<f64>(p)
    if (load<f64>(p) < 0) wrong = true
  }
  return wrong ? NaN : s
}

/** Lists the tokens with p > 0 while they are at most `most`; returns how many, or most + 1 where there are more. */
export function support(p: usize, n: i32, most: i32, ids: usize): i32 {
  let count = 0
  for (let i = 0; i < n; ) {
    const end = min(i + 4, n)
    const some = v128.or(v128.load(p + (<usize>i << 3)), v128.load(p + (<usize>i << 3), 16))
    // not a bit set: four zeros. (The last vectors may reach past the end: only what is before it is looked at.)
    if (v128.any_true(some))
      for (let j = i; j < end; j++) {
        if (!(load<f64>(p + (<usize>j << 3)) > 0)) continue
        if (count === most) return most + 1
        store<i32>(ids + (<usize>count << 2), j)
        count++
      }
    i = end
  }
  return count
}
