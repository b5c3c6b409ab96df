/**
 * Inverse sampling: lay the tokens on [0, 1] in the order of their words, each as wide as its probability, and take the one
 * that a uniform number u falls on. A token's word, as a fraction, is then close to u: that is the evidence.
 */

import { intervals, locate, scratchOrder } from '../../core/kernels/index.ts'
import type { Words } from '../../core/keys/index.ts'
import { Expansion } from '../../core/keys/index.ts'
import type { NullLaw, Weighted } from '../../watermark.ts'

export interface Place {
  readonly u: number
  readonly random: Words
}

/** The round keys and the size of the vocabulary whose words lie in the scratch array. */
const last = { keys: new Int32Array(4), vocabSize: 0 }

/** Every token's word. One order may serve every position of a key: its words are not made anew. */
function wordsOf({ random }: Place, vocabSize: number): Uint32Array {
  const words = scratchOrder(vocabSize)
  const keys = random instanceof Expansion ? random.keys : undefined
  if (keys !== undefined && last.vocabSize === vocabSize && last.keys.every((key, i) => key === keys[i]))
    return words
  last.vocabSize = keys === undefined ? 0 : vocabSize
  if (keys !== undefined) last.keys.set(keys)
  return random.fill(words)
}

/** The token that u falls on. */
export const landing = (p: Float64Array, place: Place): number => locate(p, wordsOf(place, p.length), place.u)

/** For each token the u that falls on it at the same relative place. */
export function placeOrbit(place: Place, p: Float64Array): Weighted<Place>[] {
  const { from, to } = intervals(p, wordsOf(place, p.length))
  const hit = landing(p, place)
  const share = (place.u - from[hit]!) / (to[hit]! - from[hit]!)
  return [...p.keys()]
    .filter((token) => p[token]! > 0)
    .map((token) => ({
      weight: p[token]!,
      code: { random: place.random, u: from[token]! + share * (to[token]! - from[token]!) },
    }))
}

/**
 * A law that dominates the scores, whatever the tokens: |u - v| is smallest in law for v = 1/2, where the score is
 * 1 - U/2, so P(sum of n scores >= s) <= P(U_1 + ... + U_n >= 2s - n), bounded by Chernoff's
 * min over h of n ln((e^h - 1) / h) - h (2s - n).
 */
export const centredUniform: NullLaw = {
  name: 'centredUniform',
  exact: false,
  mean: 3 / 4,
  logTail(sum, n) {
    const mean = (2 * sum - n) / n
    if (mean <= 1 / 2) return 0
    if (mean >= 1) return Number.NEGATIVE_INFINITY
    // the derivative 1 + 1/(e^h - 1) - 1/h - mean vanishes at the best h; it grows from 1/2 - mean to 1 - mean
    let [low, high] = [1e-9, 2 / (1 - mean)]
    for (let i = 0; i < 100; i++) {
      const h = (low + high) / 2
      if (1 + 1 / Math.expm1(h) - 1 / h < mean) low = h
      else high = h
    }
    const h = (low + high) / 2
    return n * (Math.log(Math.expm1(h) / h) - h * mean)
  },
  // E e^(h (1 - U/2)) = e^h (1 - e^(-h/2)) / (h/2)
  logMgf: (h) => (h === 0 ? 0 : h + Math.log((-2 * Math.expm1(-h / 2)) / h)),
}
