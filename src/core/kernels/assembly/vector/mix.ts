// The keyed words of a position, four at a time: `mix` of src/core/kernels/mix.ts.
import { constant32 } from './lanes'

const M1 = memory.data<u32>([0xed5ad4bb])
const M2 = memory.data<u32>([0xac4c1b51])
const M3 = memory.data<u32>([0x31848bab])

/** Four words; the round keys in all lanes. Where loops are long, the multipliers are better kept in registers. */
// @ts-ignore: decorator
@inline
export function mix(i: v128, k0: v128, k1: v128, k2: v128, k3: v128): v128 {
  let x = i32x4.add(i, k0)
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 17)), constant32(M1)), k1)
  x = i32x4.add(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 11)), constant32(M2)), k2)
  x = v128.xor(i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), constant32(M3)), k3)
  return v128.xor(x, i32x4.shr_u(x, 14))
}
