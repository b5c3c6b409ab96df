// Who can still win the race of exponentials? Token i arrives at E_i / p_i with E_i = -ln(1 - v_i) >= v_i >= word_i / 2^32, so
// a token whose word is at least p_i * best * 2^32 cannot beat `best`: no logarithm is needed for it.
import { pinned32, pinned64 } from './vector/lanes'

/** Room for the rounding of the product: a token is only passed over if it loses clearly. */
const SLACK: f64 = 4294967296 * (1 + 1e-14)

/** The first token at or after `from` with p > 0 that may arrive before `best`; n if there is none. */
export function nextRunner(p: usize, words: usize, n: i32, from: i32, best: f64): i32 {
  const bound = best * SLACK
  const bounds = pinned64(bound)
  const exponent = pinned32(0x43300000) // the high half of 2^52: a word beneath it is the number 2^52 + word
  const base = pinned64(4503599627370496)
  let i = from
  while (i < n && (i & 3) !== 0) {
    if (mayWin(p, words, i, bound)) return i
    i++
  }
  for (; i + 4 <= n; i += 4) {
    const w = v128.load(words + (<usize>i << 2))
    const w0 = f64x2.sub(i8x16.shuffle(w, exponent, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23), base)
    const w1 = f64x2.sub(i8x16.shuffle(w, exponent, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31), base)
    const may0 = f64x2.lt(w0, f64x2.mul(v128.load(p + (<usize>i << 3)), bounds))
    const may1 = f64x2.lt(w1, f64x2.mul(v128.load(p + (<usize>i << 3), 16), bounds))
    if (v128.any_true(v128.or(may0, may1))) {
      for (let j = i; j < i + 4; j++) if (mayWin(p, words, j, bound)) return j
    }
  }
  for (; i < n; i++) if (mayWin(p, words, i, bound)) return i
  return n
}

// @ts-ignore: decorator
@inline
function mayWin(p: usize, words: usize, i: i32, bound: f64): bool {
  return <f64>load<u32>(words + (<usize>i << 2)) < load<f64>(p + (<usize>i << 3)) * bound
}
