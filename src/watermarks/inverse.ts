/**
 * Inverse sampling: lay the tokens on [0, 1] in the order of their words, each as wide as its probability, and take the one
 * that a uniform number u falls on. A token's word, as a fraction, is then close to u: that is the evidence.
 */
import { intervals, locate } from '../kernels/edges.ts'
import { scratchOrder } from '../kernels/scratch.ts'
import { Expansion, type Random } from '../keys/random.ts'
import type { Weighted } from '../watermark.ts'

export interface Place {
  readonly u: number
  readonly random: Pick<Random, 'uint32' | 'fill'>
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
