/**
 * A reweight needs nothing but each token's probability and word, and tokens without mass do not matter to it. Where most tokens
 * have none (top-k, top-p), the work is done on those that have some: the same q, at the price of finding them.
 */

import { active } from './active.ts'
import { scratchPartP, scratchPartQ, scratchPartWords, scratchSupport, scratchWords } from './scratch.ts'
import type { Words } from './words.ts'

/** With a smaller share of tokens with mass, the others are left out. */
const SPARSE = 1 / 8

/** The tokens with mass, in order; undefined unless they are few. */
export function fewTokens(p: Float64Array): Int32Array | undefined {
  const ids = scratchSupport(Math.floor(p.length * SPARSE))
  const count = active(p).support(p, ids)
  return count > ids.length ? undefined : ids.subarray(0, count)
}

/**
 * Writes q by `reweight(p, words, q, token)` over the whole vocabulary, or over the tokens with mass where those are few;
 * `token(i)` is the id of the i-th of them.
 */
export function reweightWords(
  p: Float64Array,
  random: Words,
  q: Float64Array,
  reweight: (p: Float64Array, words: Uint32Array, q: Float64Array, token: (i: number) => number) => void,
): void {
  const ids = fewTokens(p)
  if (ids === undefined) {
    reweight(p, random.fill(scratchWords(p.length)), q, (i) => i)
    return
  }
  const n = ids.length
  const [partP, partWords, partQ] = [scratchPartP(n), scratchPartWords(n), scratchPartQ(n)]
  for (let i = 0; i < n; i++) {
    partP[i] = p[ids[i]!]!
    partWords[i] = random.uint32(ids[i]!)
  }
  reweight(partP, partWords, partQ, (i) => ids[i]!)
  q.fill(0)
  for (let i = 0; i < n; i++) q[ids[i]!] = partQ[i]!
}
