/**
 * Weighted quantiles without a sort: which token, in the order of its word, holds the mass `alpha` from the bottom, and which
 * from the top. A histogram of mass over the words' leading bits finds the bucket, then the few tokens inside it are sorted.
 */

import { active } from './active.ts'
import { scratchBucket, scratchHistogram } from './scratch.ts'

/** The token at which the mass from one end reaches alpha, and how much of that token lies within alpha. */
export interface Edge {
  token: number
  word: number
  inside: number
}

/** Leading bits that name a bucket: a few tokens per bucket, and a histogram that fits the first-level cache. */
const bucketBits = (vocabSize: number): number => Math.max(1, Math.min(12, 28 - Math.clz32(vocabSize)))

let histogram: Float64Array = new Float64Array(2)
let shift = 31

/** The tokens with mass of a bucket, in the order of their words: the first ones of `ids`, until the next bucket is asked for. */
let ids: Int32Array = new Int32Array(0)

/** Up to this many tokens are sorted one by one. */
const FEW = 64

/** Fills `ids`; returns the number of tokens. */
function bucketTokens(p: Float64Array, words: Uint32Array, bucket: number): number {
  ids = scratchBucket(words.length)
  const all = active(words).inBucket(words, shift, bucket, ids)
  let count = 0
  for (let i = 0; i < all; i++) {
    const token = ids[i]!
    if (!(p[token]! > 0)) continue
    let at = count++
    if (all <= FEW) for (; at > 0 && words[ids[at - 1]!]! > words[token]!; at--) ids[at] = ids[at - 1]!
    ids[at] = token
  }
  if (all > FEW) ids.subarray(0, count).sort((a, b) => words[a]! - words[b]!)
  return count
}

function edge(p: Float64Array, words: Uint32Array, alpha: number, fromTop: boolean): Edge {
  const step = fromTop ? -1 : 1
  let bucket = fromTop ? histogram.length - 1 : 0
  let before = 0
  let last = bucket
  for (; bucket >= 0 && bucket < histogram.length; bucket += step) {
    const mass = histogram[bucket]!
    if (mass > 0) last = bucket
    if (mass > 0 && before + mass >= alpha) break
    before += mass
  }
  // rounding may leave the total just below alpha: then the last bucket with mass holds the edge
  if (bucket < 0 || bucket >= histogram.length) before -= histogram[last]!
  const count = bucketTokens(p, words, last)
  for (let k = 1; k <= count; k++) {
    const token = ids[fromTop ? count - k : k - 1]!
    if (before + p[token]! >= alpha || k === count)
      return { token, word: words[token]!, inside: Math.min(p[token]!, Math.max(0, alpha - before)) }
    before += p[token]!
  }
  throw new RangeError('p: expected a distribution with mass, got none')
}

function fillHistogram(p: Float64Array, words: Uint32Array): void {
  const bits = bucketBits(p.length)
  shift = 32 - bits
  histogram = scratchHistogram(1 << bits)
  active(p).classMass(p, words, shift, histogram)
}

/** The edges of the lowest and of the highest `alpha` of mass, in the order of the tokens' words. */
export function edges(p: Float64Array, words: Uint32Array, alpha: number): { low: Edge; high: Edge } {
  fillHistogram(p, words)
  return { low: edge(p, words, alpha, false), high: edge(p, words, alpha, true) }
}

/** The token whose interval of running mass, in the order of the words, holds u. */
export function locate(p: Float64Array, words: Uint32Array, u: number): number {
  fillHistogram(p, words)
  return edge(p, words, u, false).token
}

/**
 * Returns the ends of each token's interval, by the very sums that `locate` forms: `locate` finds a token for every u
 * inside its interval, to the last bit.
 */
export function intervals(p: Float64Array, words: Uint32Array): { from: Float64Array; to: Float64Array } {
  fillHistogram(p, words)
  const from = new Float64Array(p.length)
  const to = new Float64Array(p.length)
  let start = 0
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    if (histogram[bucket]! === 0) continue
    let before = start
    const count = bucketTokens(p, words, bucket)
    for (let k = 0; k < count; k++) {
      const token = ids[k]!
      from[token] = before
      before += p[token]!
      to[token] = before
    }
    start += histogram[bucket]!
    to[ids[count - 1]!] = start
  }
  return { from, to }
}
