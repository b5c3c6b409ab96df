/** Secret bits of tokens, one per layer, and how they become evidence: what SynthID, its published codes and its trained detector share. */

import { binomial, sumDetector, weightedBits } from '../../core/detect/index.ts'
import type { Words } from '../../core/keys/index.ts'
import { outOfRange } from '../../input.ts'
import type { DeclaredParts, Detector } from '../../watermark.ts'
import { bitCount } from './layers.ts'
import { ofOwnWord } from './word-score.ts'

/** m bits per token; `mask` complements whole layers among the first 32. */
export interface Bits {
  readonly random: Words
  readonly mask: number
  /** The words of layers 32 to 63, 64 to 95 and so on. */
  readonly more?: readonly Words[]
}

/** Layers that one word holds. */
export const PAGE = 32

/** Returns the number of layers that each word holds. */
export const pages = (layers: number): number[] =>
  Array.from({ length: Math.ceil(layers / PAGE) }, (_, page) => Math.min(PAGE, layers - PAGE * page))

/** The published weights fall linearly from 10 to 1 over the layers; times m - 1 they are whole: 190, 181, ..., 19 at m = 20. */
export const layerWeights = (layers: number): number[] =>
  Array.from({ length: layers }, (_, layer) => (layers === 1 ? 1 : 10 * (layers - 1) - 9 * layer))

/** word -> the weights of its ones, by a table for each of its four bytes. */
function weightedBitSum(weights: readonly number[]): (word: number) => number {
  const [first, second, third, fourth] = [0, 8, 16, 24].map((from) =>
    Float64Array.from({ length: 256 }, (_, byte) =>
      weights.slice(from, from + 8).reduce((sum, weight, bit) => sum + ((byte >>> bit) & 1) * weight, 0),
    ),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array]
  return (word) =>
    first[word & 255]! + second[(word >>> 8) & 255]! + third[(word >>> 16) & 255]! + fourth[word >>> 24]!
}

/** The weights of more layers add up to more than an exact tail takes. */
const MAX_WEIGHTED_LAYERS = 43

/** Returns the detector of bits: all alike, or early layers, which carry more signal, with more weight. */
export function bitDetector(layers: number, detector: 'mean' | 'weighted', rate: number): Detector {
  if (detector === 'mean') return sumDetector({ nullLaw: binomial(rate, { trials: layers }), bound: layers })
  if (layers > MAX_WEIGHTED_LAYERS)
    throw outOfRange('layers', `at most ${MAX_WEIGHTED_LAYERS} with detector: 'weighted'`, layers)
  const weights = layerWeights(layers)
  const bound = weights.reduce((sum, weight) => sum + weight, 0)
  return sumDetector({ nullLaw: weightedBits(weights, { rate }), bound })
}

/** The score of a page's word. */
function pageScore(layers: number, weights: readonly number[] | undefined) {
  const used = layers === PAGE ? -1 : (1 << layers) - 1
  return weights === undefined ? (word: number) => bitCount(word & used) : weightedBitSum(weights)
}

/** Returns the score of each of a token's words. */
export const pageScores = (layers: number, weights: readonly number[] | undefined) =>
  pages(layers).map((size, page) => pageScore(size, weights?.slice(PAGE * page, PAGE * page + size)))

/** The score, the sum of a token's bits, each times the weight of its layer. Its fast path is about codes of own randomness. */
export function bitScore(
  layers: number,
  weights: readonly number[] | undefined,
): Pick<DeclaredParts<Bits>, 'score' | 'fast'> {
  const [first, ...others] = pageScores(layers, weights)
  if (others.length === 0)
    return {
      score: (token, { random, mask }) => first!(random.uint32(token) ^ mask),
      fast: ofOwnWord(first!),
    }
  return {
    score: (token, { random, mask, more }) =>
      others.reduce(
        (sum, score, page) => sum + score(more![page]!.uint32(token)),
        first!(random.uint32(token) ^ mask),
      ),
    fast: undefined,
  }
}
