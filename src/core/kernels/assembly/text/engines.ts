// The words of inference engines at positions of a text: Philox4x32-10 as vLLM draws them, MurmurHash3 as SGLang does
// (src/watermarks/published/philox.ts, murmur.ts). at[i] is the i-th position, tokens[at[i]] its token, the `window` tokens before it its context.

/** Ten rounds on the four words at `state`. */
// @ts-ignore: decorator
@inline
function philox(state: usize, low: u32, high: u32): void {
  let x0 = load<u32>(state)
  let x1 = load<u32>(state, 4)
  let x2 = load<u32>(state, 8)
  let x3 = load<u32>(state, 12)
  for (let round = 0; round < 10; round++) {
    const a = <u64>0xd2511f53 * <u64>x0
    const b = <u64>0xcd9e8d57 * <u64>x2
    x0 = <u32>(b >> 32) ^ x1 ^ low
    x1 = <u32>b
    x2 = <u32>(a >> 32) ^ x3 ^ high
    x3 = <u32>a
    low += 0x9e3779b9
    high += 0xbb67ae85
  }
  store<u32>(state, x0)
  store<u32>(state, x1, 4)
  store<u32>(state, x2, 8)
  store<u32>(state, x3, 12)
}

/** out[i] = the word of the i-th position; `key` has the words of the key, low first, and of the stream; `state` is room for four words. */
export function philoxWords(
  tokens: usize, window: i32, at: usize, count: i32, key: usize, state: usize, out: usize,
): void {
  const low = load<u32>(key)
  const high = load<u32>(key, 4)
  const streamLow = load<u32>(key, 8)
  const streamHigh = load<u32>(key, 12)
  for (let i = 0; i < count; i++) {
    const token = tokens + (<usize>load<i32>(at + (<usize>i << 2)) << 2)
    const context = token - (<usize>window << 2)
    store<u32>(state, 0x574d4358)
    store<u32>(state, window, 4)
    store<u64>(state, 0, 8)
    for (let from = 0; from < window; from += 4) {
      for (let k = 0; k < 4; k++) {
        const word = from + k < window ? load<u32>(context + (<usize>(from + k) << 2)) : <u32>(-1 - k)
        const place = state + (<usize>k << 2)
        store<u32>(place, load<u32>(place) ^ word)
      }
      philox(state, low ^ <u32>from, high)
    }
    const tokenLow = low ^ load<u32>(state, 12) ^ streamHigh
    const id = load<u32>(token)
    store<u32>(state, load<u32>(state, 8), 12)
    store<u32>(state, load<u32>(state, 4), 8)
    store<u32>(state, load<u32>(state), 4)
    store<u32>(state, id >> 2)
    philox(state, tokenLow, high ^ 0x574d544b ^ streamLow)
    store<u32>(out + (<usize>i << 2), load<u32>(state + (<usize>(id & 3) << 2)))
  }
}

// @ts-ignore: decorator
@inline
function absorb(state: u32, word: u32): u32 {
  return rotl<u32>(state ^ (rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593), 13) * 5 + 0xe6546b64
}

// @ts-ignore: decorator
@inline
function finish(state: u32, words: u32): u32 {
  let h = state ^ (words << 2)
  h = (h ^ (h >> 16)) * 0x85ebca6b
  h = (h ^ (h >> 13)) * 0xc2b2ae35
  return h ^ (h >> 16)
}

/**
 * out[i] = the hash of the i-th position. `key` has the states behind key A and behind key B, the state of the coin, and the limit below which
 * a coin names key A, as two words, low first.
 */
export function murmurWords(tokens: usize, window: i32, at: usize, count: i32, key: usize, _: usize, out: usize): void {
  const a = load<u32>(key)
  const b = load<u32>(key, 4)
  const coin = load<u32>(key, 8)
  const limit = (<u64>load<u32>(key, 16) << 32) | <u64>load<u32>(key, 12)
  for (let i = 0; i < count; i++) {
    const token = tokens + (<usize>load<i32>(at + (<usize>i << 2)) << 2)
    let context: u32 = 0
    for (let from = token - (<usize>window << 2); from < token; from += 4) context = absorb(context, load<u32>(from))
    const hash = finish(context, window)
    const state = <u64>finish(absorb(coin, hash), 5) < limit ? a : b
    store<u32>(out + (<usize>i << 2), finish(absorb(absorb(state, hash), load<u32>(token)), 4))
  }
}

/**
 * out[i] = the hash of TextSeal at the i-th position (src/watermarks/published/textseal.ts), or, for a number of layers, the bits of its SynthID.
 * `key` has the scaled key as two words, low first, the number of layers or 0, and the factors of the context's tokens.
 */
export function textsealWords(
  tokens: usize, window: i32, at: usize, count: i32, key: usize, _: usize, out: usize,
): void {
  const scale: u64 = 15485863 * 40499
  const base = load<u64>(key)
  const layers = load<i32>(key, 8)
  for (let i = 0; i < count; i++) {
    const token = tokens + (<usize>load<i32>(at + (<usize>i << 2)) << 2)
    const context = token - (<usize>window << 2)
    let sum: u64 = 100000007 * <u64>load<u32>(token)
    for (let k = 0; k < window; k++)
      sum += <u64>load<u32>(key + 12 + (<usize>k << 2)) * <u64>load<u32>(context + (<usize>k << 2))
    let hash = <i64>(sum * scale + base)
    let word: u32 = 0
    if (layers === 0) word = <u32>reduced(hash)
    for (let l = 0; l < layers; l++) {
      if (reduced(hash) < 4096) word |= 1 << l
      hash += <i64>(<u64>100000007 * 659101 * scale)
    }
    store<u32>(out + (<usize>i << 2), word)
  }
}

// @ts-ignore: decorator
@inline
function reduced(hash: i64): i64 {
  const rest = (hash ^ (hash >> 13)) % 8191
  return rest < 0 ? rest + 8191 : rest
}
