// The evidence of tokens: of many under one code of exponentials (src/watermarks/mechanisms/gumbel-max.ts), and of many under a code of bits
// each (src/watermarks/christ.ts).
import { lower, pinned32, pinned64, sum } from './vector/lanes'
import { log } from './vector/log'
import { mix } from './vector/mix'
import { uniform, upperEdge, upperLanes } from './vector/uniform'

/** Where the last vectors go, which may reach past the end. */
const SPARE = memory.data(32, 16)

/** out[i] = -ln v of token i under the round keys. */
export function exponentialScores(
  tokens: usize, n: i32, k0: i32, k1: i32, k2: i32, k3: i32, out: usize,
): void {
  const key0 = pinned32(k0)
  const key1 = pinned32(k1)
  const key2 = pinned32(k2)
  const key3 = pinned32(k3)
  for (let i = 0; i < n; i += 4, tokens += 16, out += 32) {
    const token = v128.load(tokens)
    const high = mix(token, key0, key1, key2, key3)
    const low = mix(v128.xor(token, i32x4.splat(0x80000000)), key0, key1, key2, key3)
    const to = i + 4 <= n ? out : SPARE
    v128.store(to, f64x2.neg(log(upperEdge(uniform(high, low)))))
    v128.store(to, f64x2.neg(log(upperEdge(uniform(upperLanes(high), upperLanes(low))))), 16)
  }
  if ((n & 3) !== 0) memory.copy(out - 32, SPARE, <usize>(n & 3) << 3)
}

/**
 * out[i] = -ln of the chance of the bits of token i under its own round keys, keys[4 i ..]. Two bits at a time, from the highest: u
 * for a 1, 1 - u for a 0, and 1 unless the bit is free, which it is if an id of the vocabulary has the same bits before and a 1 there.
 */
export function bitScores(tokens: usize, n: i32, keys: usize, vocabSize: i32, out: usize): void {
  const width = 32 - clz(vocabSize - 1)
  const top = i32x4((1 << width) >> 1, (1 << width) >> 2, 0, 0)
  const end = pinned32(vocabSize)
  const sure = pinned64(1)
  for (let i = 0; i < n; i++, tokens += 4, keys += 16, out += 8) {
    const token = v128.load_splat<u32>(tokens)
    const key0 = v128.load_splat<u32>(keys)
    const key1 = v128.load_splat<u32>(keys, 4)
    const key2 = v128.load_splat<u32>(keys, 8)
    const key3 = v128.load_splat<u32>(keys, 12)
    let at = i32x4(0, 1, 0x80000000, 0x80000001) // the words and the second words of two bits
    let product = sure // no more than 12 chances of at least 2^-65 in each lane: a normal number
    for (let j = 0; j < width; j += 2) {
      const bit = i32x4.shr_u(top, j)
      const zero = i32x4.eq(v128.and(token, bit), i32x4.splat(0))
      const least = v128.or(v128.and(token, i32x4.neg(bit)), bit) // the first id with a 1 there
      const forced = v128.or(i32x4.ge_s(least, end), i32x4.eq(bit, i32x4.splat(0)))
      const words = mix(at, key0, key1, key2, key3)
      const u = uniform(words, upperLanes(words))
      const chance = v128.bitselect(f64x2.sub(sure, u), upperEdge(u), lower(zero))
      product = f64x2.mul(product, v128.bitselect(sure, chance, lower(forced)))
      at = i32x4.add(at, i32x4.splat(2))
    }
    store<f64>(out, -sum(log(product)))
  }
}
