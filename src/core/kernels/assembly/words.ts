// The keyed words of a position.
import { pinned32 } from './vector/lanes'

/** out[i] = mix(i) for i < n */
export function fill(out: usize, n: i32, k0: i32, k1: i32, k2: i32, k3: i32): void {
  const m1 = pinned32(0xed5ad4bb)
  const m2 = pinned32(0xac4c1b51)
  const m3 = pinned32(0x31848bab)
  const key1 = pinned32(k1)
  const key2 = pinned32(k2)
  const key3 = pinned32(k3)
  const four = pinned32(4)
  let at = i32x4.add(pinned32(k0), i32x4(0, 1, 2, 3))
  // the last vector is formed whole, and what there is room for is stored
  for (let i = 0; i < n; i += 4, out += 16) {
    let x = at
    x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 17)), m1), key1)
    x = i32x4.add(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 11)), m2), key2)
    x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), m3), key3)
    x = v128.xor(x, i32x4.shr_u(x, 14))
    if (i + 4 <= n) v128.store(out, x)
    else storeFirst(out, x, n - i)
    at = i32x4.add(at, four)
  }
}

/** Stores the first `count` lanes, fewer than four. */
function storeFirst(out: usize, x: v128, count: i32): void {
  store<i32>(out, i32x4.extract_lane(x, 0))
  if (count > 1) store<i32>(out, i32x4.extract_lane(x, 1), 4)
  if (count > 2) store<i32>(out, i32x4.extract_lane(x, 2), 8)
}
