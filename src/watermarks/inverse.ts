/**
 * Inverse sampling: lay the tokens on [0, 1] in the order of their words, each as wide as its probability, and take the one
 * that a uniform number u falls on. A token's word, as a fraction, is then close to u: that is the evidence.
 */
import { intervals, locate } from '../kernels/edges.ts'
import { scratchWords } from '../kernels/scratch.ts'
import type { Random } from '../keys/random.ts'
import type { Weighted } from '../watermark.ts'

export interface Place {
  readonly u: number
  readonly random: Pick<Random, 'uint32' | 'fill'>
}

const wordsOf = ({ random }: Place, vocabSize: number): Uint32Array => random.fill(scratchWords(vocabSize))

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
