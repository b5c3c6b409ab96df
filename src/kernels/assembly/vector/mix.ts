// The keyed words of a position, four at a time: `mix` of src/keys/mix.ts.

/** Four words; where loops are long, the constants are better kept in registers. */
// @ts-ignore: decorator
@inline
export function mix(i: v128, k0: i32, k1: i32, k2: i32, k3: i32): v128 {
  let x = i32x4.add(i, i32x4.splat(k0))
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 17)), i32x4.splat(0xed5ad4bb)), i32x4.splat(k1))
  x = i32x4.add(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 11)), i32x4.splat(0xac4c1b51)), i32x4.splat(k2))
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), i32x4.splat(0x31848bab)), i32x4.splat(k3))
  return v128.xor(x, i32x4.shr_u(x, 14))
}
