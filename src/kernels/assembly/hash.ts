// The keyed words of a position, four at a time: `mix` of src/kernels/mix.ts.

// @ts-ignore: decorator
@inline
export function mix(i: v128, k0: i32, k1: i32, k2: i32, k3: i32): v128 {
  let x = i32x4.add(i, i32x4.splat(k0))
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 17)), i32x4.splat(0xed5ad4bb)), i32x4.splat(k1))
  x = i32x4.add(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 11)), i32x4.splat(0xac4c1b51)), i32x4.splat(k2))
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), i32x4.splat(0x31848bab)), i32x4.splat(k3))
  return v128.xor(x, i32x4.shr_u(x, 14))
}

/** out[i] = mix(i) for i < n */
export function fill(out: usize, n: i32, k0: i32, k1: i32, k2: i32, k3: i32): void {
  let at = i32x4(0, 1, 2, 3)
  let i = 0
  for (; i + 4 <= n; i += 4, out += 16) {
    v128.store(out, mix(at, k0, k1, k2, k3))
    at = i32x4.add(at, i32x4.splat(4))
  }
  let rest = mix(at, k0, k1, k2, k3)
  for (; i < n; i++, out += 4) {
    store<i32>(out, i32x4.extract_lane(rest, 0))
    rest = i8x16.shuffle(rest, rest, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3)
  }
}
