/**
 * MurmurHash3-x86-32 (Appleby, 2011) over 32-bit words with seed 0, as SGLang hashes contexts and tokens:
 *
 *   context hash = murmur(context tokens)
 *   token hash   = murmur(key low, key high, context hash, token)
 *   coin         = murmur(key A low, key A high, key B low, key B high, context hash)
 *
 * The state after the two key words is one 32-bit number, so the 64-bit key has 32 effective bits.
 */

/** Mixes one word into the state. */
function absorb(state: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51)
  k = (k << 15) | (k >>> 17)
  const mixed = state ^ Math.imul(k, 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

/** Ends a hash of `words` words. */
function finish(state: number, words: number): number {
  let h = state ^ (4 * words)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns the state after some words, from which a hash goes on. */
export function murmurState(words: ArrayLike<number>, state = 0): number {
  let mixed = state
  for (let i = 0; i < words.length; i++) mixed = absorb(mixed, words[i]!)
  return mixed
}

/**
 * Returns the 32-bit hash of a list of 32-bit words.
 * @example murmurHash([1, 2, 3, 4]) // 1145416960
 */
export const murmurHash = (words: ArrayLike<number>): number => finish(murmurState(words), words.length)

/** Returns the hash of the words behind a state and one more; `words` counts them all. */
export const murmurLast = (state: number, word: number, words: number): number =>
  finish(absorb(state, word), words)
