// The keyed words of a whole text in one call: which positions have a context for the first time, their seeds (SipHash-2-4-128 and
// the round keys made of it: src/core/kernels/siphash.ts, src/core/kernels/mix.ts), and the words of their tokens. Four contexts at a time.
import { mix } from '../vector/mix'

/**
 * Positions t whose context, the `window` tokens before them, no earlier position has, in order. Places of the table hold 1 + the
 * position that has a context, and no two different contexts are taken for one. There are 2^bits places, several times as many as
 * positions: then the first place that is looked at is mostly free, which a processor can foresee.
 */
export function firstUses(tokens: usize, length: i32, window: i32, table: usize, bits: i32, at: usize): i32 {
  memory.fill(table, 0, <usize>4 << bits)
  const last = (<usize>1 << bits) - 1
  const size = <usize>window << 2
  const shift = <u64>(64 - bits)
  let found = at
  for (let t = window, context = tokens; t < length; t++, context += 4) {
    let place = <usize>(hashOf(context, size) >> shift)
    let entry: i32
    while ((entry = load<i32>(table + (place << 2))) !== 0 && !same(tokens + (<usize>(entry - 1) << 2) - size, context, size))
      place = (place + 1) & last
    if (entry !== 0) continue
    store<i32>(table + (place << 2), t + 1)
    store<i32>(found, t)
    found += 4
  }
  return <i32>((found - at) >> 2)
}

/** Two tokens at a time. */
// @ts-ignore: decorator
@inline
function hashOf(context: usize, size: usize): u64 {
  let hash: u64 = 0
  let i: usize = 0
  for (; i + 8 <= size; i += 8) hash = (hash ^ load<u64>(context + i)) * 0x9e3779b97f4a7c15
  if (i < size) hash = (hash ^ <u64>load<u32>(context + i)) * 0x9e3779b97f4a7c15
  return hash
}

// @ts-ignore: decorator
@inline
function same(a: usize, b: usize, size: usize): bool {
  let i: usize = 0
  for (; i + 8 <= size; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false
  return i === size || load<u32>(a + i) === load<u32>(b + i)
}

// @ts-ignore: decorator
@inline
function rotated(x: v128, bits: i32): v128 {
  return v128.or(i64x2.shl(x, bits), i64x2.shr_u(x, 64 - bits))
}

/** Rotated by 16 and by 32 bits: a move of bytes. */
// @ts-ignore: decorator
@inline
function rotated16(x: v128): v128 {
  return i8x16.shuffle(x, x, 6, 7, 0, 1, 2, 3, 4, 5, 14, 15, 8, 9, 10, 11, 12, 13)
}

// @ts-ignore: decorator
@inline
function swapped(x: v128): v128 {
  return i8x16.shuffle(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)
}

// @ts-ignore: decorator
@inline
function rotated32(x: v128, bits: i32): v128 {
  return v128.or(i32x4.shl(x, bits), i32x4.shr_u(x, 32 - bits))
}

/** Two numbers of 64 bits in one vector. */
// @ts-ignore: decorator
@inline
function pair(a: usize, b: usize): v128 {
  return v128.load_lane<u64>(b, v128.load_zero<u64>(a), 1)
}

// @ts-ignore: decorator
@inline
function halves(a: usize, b: usize): v128 {
  return i64x2(<i64>load<u32>(a), <i64>load<u32>(b))
}

/**
 * out[k stride + i] = the word at (token & ands[k]) ^ xors[k] under the seed of the context, for the i-th position that is scored and
 * every one of `kinds` indices; at[i] is that position. Returns how many there are. Both lists need room for three more.
 */
export function textWords(
  tokens: usize, length: i32, window: i32, key: usize, table: usize, bits: i32,
  at: usize, indices: usize, kinds: i32, out: usize, stride: usize,
): i32 {
  const count = firstUses(tokens, length, window, table, bits, at)
  if (count === 0) return 0
  for (let i = count; i < ((count + 3) & ~3); i++)
    store<i32>(at + (<usize>i << 2), load<i32>(at + (<usize>(count - 1) << 2)))
  const k0 = load<u64>(key)
  const k1 = load<u64>(key, 8)
  const start0 = i64x2.splat(k0 ^ 0x736f6d6570736575)
  const start1 = i64x2.splat(k1 ^ 0x646f72616e646f6d ^ 0xee)
  const start2 = i64x2.splat(k0 ^ 0x6c7967656e657261)
  const start3 = i64x2.splat(k1 ^ 0x7465646279746573)
  const whole = window >> 1
  const odd = (window & 1) !== 0
  const size = i64x2.splat(<u64>(window << 2) << 56)
  for (let i = 0; i < count; i += 4, at += 16, out += 16) {
    const t0 = tokens + (<usize>load<i32>(at) << 2)
    const t1 = tokens + (<usize>load<i32>(at, 4) << 2)
    const t2 = tokens + (<usize>load<i32>(at, 8) << 2)
    const t3 = tokens + (<usize>load<i32>(at, 12) << 2)
    const back = <usize>window << 2
    let v0 = start0
    let v1 = start1
    let v2 = start2
    let v3 = start3
    let w0 = start0
    let w1 = start1
    let w2 = start2
    let w3 = start3
    let lowV = start0
    let lowW = start0
    // each step two rounds: the whole blocks and the last one; then two times four rounds for the two halves of the output
    for (let s = 0; s < whole + 5; s++) {
      let blockV = i64x2.splat(0)
      let blockW = blockV
      if (s < whole) {
        const from = (<usize>s << 3) - back
        blockV = pair(t0 + from, t1 + from)
        blockW = pair(t2 + from, t3 + from)
      } else if (s === whole) {
        blockV = size
        blockW = size
        if (odd) {
          blockV = v128.or(size, halves(t0 - 4, t1 - 4))
          blockW = v128.or(size, halves(t2 - 4, t3 - 4))
        }
      } else if (s === whole + 1) {
        v2 = v128.xor(v2, i64x2.splat(0xee))
        w2 = v128.xor(w2, i64x2.splat(0xee))
      } else if (s === whole + 3) {
        lowV = v128.xor(v128.xor(v0, v1), v128.xor(v2, v3))
        lowW = v128.xor(v128.xor(w0, w1), v128.xor(w2, w3))
        v1 = v128.xor(v1, i64x2.splat(0xdd))
        w1 = v128.xor(w1, i64x2.splat(0xdd))
      }
      v3 = v128.xor(v3, blockV)
      w3 = v128.xor(w3, blockW)
      for (let round = 0; round < 2; round++) {
        v0 = i64x2.add(v0, v1)
        w0 = i64x2.add(w0, w1)
        v2 = i64x2.add(v2, v3)
        w2 = i64x2.add(w2, w3)
        v1 = v128.xor(rotated(v1, 13), v0)
        w1 = v128.xor(rotated(w1, 13), w0)
        v3 = v128.xor(rotated16(v3), v2)
        w3 = v128.xor(rotated16(w3), w2)
        v0 = swapped(v0)
        w0 = swapped(w0)
        v2 = i64x2.add(v2, v1)
        w2 = i64x2.add(w2, w1)
        v0 = i64x2.add(v0, v3)
        w0 = i64x2.add(w0, w3)
        v1 = v128.xor(rotated(v1, 17), v2)
        w1 = v128.xor(rotated(w1, 17), w2)
        v3 = v128.xor(rotated(v3, 21), v0)
        w3 = v128.xor(rotated(w3, 21), w0)
        v2 = swapped(v2)
        w2 = swapped(w2)
      }
      v0 = v128.xor(v0, blockV)
      w0 = v128.xor(w0, blockW)
    }
    const highV = v128.xor(v128.xor(v0, v1), v128.xor(v2, v3))
    const highW = v128.xor(v128.xor(w0, w1), v128.xor(w2, w3))
    let a = i32x4.add(even(lowV, lowW), i32x4.splat(0x61707865))
    let b = i32x4.add(uneven(lowV, lowW), i32x4.splat(0x3320646e))
    let c = i32x4.add(even(highV, highW), i32x4.splat(0x79622d32))
    let d = i32x4.add(uneven(highV, highW), i32x4.splat(0x6b206574))
    for (let round = 0; round < 3; round++) {
      a = i32x4.add(a, b)
      d = rotated32(v128.xor(d, a), 16)
      c = i32x4.add(c, d)
      b = rotated32(v128.xor(b, c), 12)
      a = i32x4.add(a, b)
      d = rotated32(v128.xor(d, a), 8)
      c = i32x4.add(c, d)
      b = rotated32(v128.xor(b, c), 7)
    }
    const token = v128.load_lane<u32>(t3, v128.load_lane<u32>(t2, v128.load_lane<u32>(t1, v128.load_zero<u32>(t0), 1), 2), 3)
    for (let k = 0; k < kinds; k++) {
      const and = v128.load_splat<u32>(indices + (<usize>k << 3))
      const xor = v128.load_splat<u32>(indices + (<usize>k << 3), 4)
      v128.store(out + <usize>k * stride, mix(v128.xor(v128.and(token, and), xor), a, b, c, d))
    }
  }
  return count
}

/** The lower 32 bits of four numbers, and the upper ones. */
// @ts-ignore: decorator
@inline
function even(x: v128, y: v128): v128 {
  return i8x16.shuffle(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// @ts-ignore: decorator
@inline
function uneven(x: v128, y: v128): v128 {
  return i8x16.shuffle(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
}
