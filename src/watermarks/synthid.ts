/**
 * SynthID-Text (Dathathri et al. 2024): a tournament in m layers, each with a secret bit g per token. With two leaves the
 * closed form of one layer is p_i <- p_i (1 + g_i - G), G the mass of the tokens with g = 1: unbiased. With three leaves,
 * p_i <- p_i times the chance that i wins against two rivals: biased ("distortionary"), shipped as a control.
 *
 * All m bits of a token come from one 32-bit word; layers beyond 32 read further words of the same token.
 */
import type { Detector } from '../detect/detector.ts'
import { binomial, weightedBits } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { outOfRange } from '../input.ts'
import { reweightWords } from '../kernels/support.ts'
import { ngram } from '../keys/ngram.ts'
import { type Random, wordsFrom, wordsOf } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import type { Watermark, Weighted } from '../watermark.ts'
import { bitCount, playLayers } from './layers.ts'
import { scoreOfWord } from './word-score.ts'

type Words = Pick<Random, 'uint32' | 'fill'>

/** m bits per token; `mask` complements whole layers among the first 32. */
export interface Bits {
  readonly random: Words
  readonly mask: number
  /** The words of layers 32 to 63, 64 to 95 and so on. */
  readonly more?: readonly Words[]
}

/** Layers that one word holds. */
const PAGE = 32

/** The most layers: published implementations have 30. */
const MAX_LAYERS = 128

/** How many layers each word holds. */
const pages = (layers: number): number[] =>
  Array.from({ length: Math.ceil(layers / PAGE) }, (_, page) => Math.min(PAGE, layers - PAGE * page))

/** The code of a position with own randomness. */
const drawBits = (random: Random, layers: number): Bits =>
  layers <= PAGE
    ? { random, mask: 0 }
    : {
        random,
        mask: 0,
        more: pages(layers)
          .slice(1)
          .map((_, page) => wordsFrom(random, page + 1)),
      }

/** Above this the 2^m members of an orbit are too many to list; spec/watermarks checks large m by induction over layers. */
const MAX_LAYERS_IN_ORBIT = 10

/** Above this even two tokens have too many codes to list. */
const MAX_LAYERS_LISTED = 8

/** The factors by which one layer scales tokens with bit 0 and with bit 1, given the mass G of those with bit 1. */
function layerFactors(ones: number, leaves: 2 | 3): [number, number] {
  if (leaves === 2) return [Math.max(0, 1 - ones), Math.max(0, 2 - ones)]
  // of three drawn tokens one with the highest bit wins: bit 0 wins only against no one (G^0): (1-G)^2
  return [(1 - ones) ** 2, 1 + (1 - ones) + (1 - ones) ** 2]
}

/** Writes q, given each token's bits. */
export const tournament = (
  p: Float64Array,
  words: Uint32Array,
  layers: number,
  leaves: 2 | 3,
  q: Float64Array,
): void => playLayers(p, words, layers, (ones) => layerFactors(ones, leaves), q)

/** Every assignment of m bits to the tokens of a small vocabulary: 2^(mV) of them. */
function* allBits(vocabSize: number, layers: number): Generator<Weighted<Bits>> {
  const weight = 2 ** (-layers * vocabSize)
  for (let index = 0; index < 1 / weight; index++) {
    const words = Array.from(
      { length: vocabSize },
      (_, token) => Math.floor(index / 2 ** (layers * token)) % 2 ** layers,
    )
    yield { code: { random: wordsOf(words), mask: 0 }, weight }
  }
}

/** The published weights fall linearly from 10 to 1 over the layers; times m - 1 they are whole: 190, 181, ..., 19 at m = 20. */
const layerWeights = (layers: number): number[] =>
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

/** How bits become a p-value: all alike, or early layers, which carry more signal, with more weight. */
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

/** The sum of a token's bits, each times the weight of its layer, under the codes that `draw` draws and any others. */
export function bitScore(
  layers: number,
  weights: readonly number[] | undefined,
  draw: Watermark<Bits>['draw'],
): Watermark<Bits>['score'] {
  const [first, ...others] = pages(layers).map((size, page) =>
    pageScore(size, weights?.slice(PAGE * page, PAGE * page + size)),
  )
  if (others.length === 0)
    return scoreOfWord<Bits>(
      (token, { random, mask }) => first!(random.uint32(token) ^ mask),
      draw,
      (word) => first!(word),
    )
  return (token, { random, mask, more }) =>
    others.reduce(
      (sum, score, page) => sum + score(more![page]!.uint32(token)),
      first!(random.uint32(token) ^ mask),
    )
}

/** Writes q: one page of layers after the other. */
function playAll(
  p: Float64Array,
  { random, mask, more = [] }: Bits,
  layers: number,
  leaves: 2 | 3,
  q: Float64Array,
): void {
  for (const [page, size] of pages(layers).entries())
    reweightWords(
      page === 0 ? p : Float64Array.from(q),
      page === 0 ? random : more[page - 1]!,
      q,
      (p, words, q) => {
        if (page === 0 && mask !== 0) for (let i = 0; i < words.length; i++) words[i]! ^= mask
        tournament(p, words, size, leaves, q)
      },
    )
}

/**
 * SynthID Text (Dathathri et al., 2024): a tournament of secret bits, layer by layer.
 * @example synthid({ layers: 20 }).unbiased // true
 */
export const synthid = defineMethod('synthid', {
  parameters: {
    /** Tournament layers. */
    layers: parameter.integer(1, MAX_LAYERS, { default: 20, shapesCode: true }),
    /** Leaves of the tournament: 2 is unbiased, 3 is biased. */
    leaves: parameter.oneOf([2, 3]),
    /** 'mean' counts every bit alike; 'weighted' gives early layers, which carry more signal, more weight. */
    detector: parameter.oneOf(['mean', 'weighted']),
    context: parameter.context(() => ngram(2)),
  },
  shipped: [{}, { detector: 'weighted' }, { leaves: 3 }],
  rows: [{}],
  small: { layers: 2 },
  make: ({ layers, leaves, detector }): MethodParts<Bits> => {
    const draw = (random: Random): Bits => drawBits(random, layers)
    return {
      unbiased: leaves === 2,
      draw,
      reweight: (p, code, q) => playAll(p, code, layers, leaves, q),
      score: bitScore(layers, detector === 'mean' ? undefined : layerWeights(layers), draw),
      detector: bitDetector(layers, detector, 1 / 2),
      ...(layers <= MAX_LAYERS_LISTED && { enumerate: (vocabSize: number) => allBits(vocabSize, layers) }),
      ...(leaves === 2 &&
        layers <= MAX_LAYERS_IN_ORBIT && {
          orbit: (code: Bits) =>
            Array.from({ length: 2 ** layers }, (_, flips) => ({ ...code, mask: code.mask ^ flips })),
        }),
    }
  },
})
