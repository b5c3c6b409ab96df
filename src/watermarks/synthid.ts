/**
 * SynthID-Text (Dathathri et al. 2024): a tournament in m layers, each with a secret bit g per token. With two leaves the
 * closed form of one layer is p_i <- p_i (1 + g_i - G), G the mass of the tokens with g = 1: unbiased. With three leaves,
 * p_i <- p_i times the chance that i wins against two rivals: biased ("distortionary"), shipped as a control.
 *
 * All m bits of a token come from one 32-bit word.
 */
import type { Detector } from '../detect/detector.ts'
import { binomial, weightedBits } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { active } from '../kernels/active.ts'
import { reweightWords } from '../kernels/support.ts'
import { ngram } from '../keys/ngram.ts'
import { type Random, wordsOf } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import type { Weighted } from '../watermark.ts'

/** m bits per token; `mask` complements whole layers. */
export interface Bits {
  readonly random: Pick<Random, 'uint32' | 'fill'>
  readonly mask: number
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

/**
 * By how much a few layers scale the tokens of each bit pattern, given the mass of each pattern: tokens with the same bits are
 * scaled alike, so the layers can be played over patterns instead of tokens.
 */
function patternFactors(mass: Float64Array, leaves: 2 | 3): Float64Array {
  const factor = new Float64Array(mass.length).fill(1)
  for (let bit = 1; bit < mass.length; bit *= 2) {
    let ones = 0
    for (let c = bit; c < mass.length; c++) if (c & bit) ones += mass[c]! * factor[c]!
    const [zero, one] = layerFactors(ones, leaves)
    for (let c = 0; c < mass.length; c++) factor[c]! *= c & bit ? one : zero
  }
  return factor
}

/** How many layers to play at once: few passes over the vocabulary, and not many more patterns than tokens. */
const layersAtOnce = (vocabSize: number, layers: number): number => {
  const most = Math.max(3, Math.min(11, Math.floor(Math.log2(vocabSize)) - 4))
  return Math.ceil(layers / Math.ceil(layers / most))
}

/** Writes q, given each token's bits. */
export function tournament(
  p: Float64Array,
  words: Uint32Array,
  layers: number,
  leaves: 2 | 3,
  q: Float64Array,
): void {
  if (layers === 0) q.set(p)
  const atOnce = layersAtOnce(p.length, layers)
  for (let first = 0; first < layers; first += atOnce) {
    const mass = new Float64Array(2 ** Math.min(atOnce, layers - first))
    const from = first === 0 ? p : q
    active(from).classMass(from, words, first, mass)
    active(from).classScale(from, words, first, patternFactors(mass, leaves), q)
  }
}

/** The number of ones, by adding neighbours: pairs, fours, eights, all. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

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

/** How bits become a p-value: all alike, or early layers, which carry more signal, with more weight. */
export function bitDetector(layers: number, detector: 'mean' | 'weighted', rate: number): Detector {
  if (detector === 'mean') return sumDetector({ nullLaw: binomial(rate, { trials: layers }), bound: layers })
  const weights = layerWeights(layers)
  const bound = weights.reduce((sum, weight) => sum + weight, 0)
  return sumDetector({ nullLaw: weightedBits(weights, { rate }), bound })
}

function bitScore(layers: number, detector: 'mean' | 'weighted'): (token: number, code: Bits) => number {
  const used = layers === 32 ? -1 : (1 << layers) - 1
  if (detector === 'mean') return (token, { random, mask }) => bitCount((random.uint32(token) ^ mask) & used)
  const weightOf = weightedBitSum(layerWeights(layers))
  return (token, { random, mask }) => weightOf(random.uint32(token) ^ mask)
}

/**
 * SynthID Text (Dathathri et al., 2024): a tournament of secret bits, layer by layer.
 * @example synthid({ layers: 20 }).unbiased // true
 */
export const synthid = defineMethod('synthid', {
  parameters: {
    /** Tournament layers. */
    layers: parameter.integer(1, 32, { default: 20, shapesCode: true }),
    /** Leaves of the tournament: 2 is unbiased, 3 is biased. */
    leaves: parameter.oneOf([2, 3]),
    /** 'mean' counts every bit alike; 'weighted' gives early layers, which carry more signal, more weight. */
    detector: parameter.oneOf(['mean', 'weighted']),
    context: parameter.context(() => ngram(2)),
  },
  shipped: [{}, { detector: 'weighted' }, { leaves: 3 }],
  rows: [{}],
  small: { layers: 2 },
  make: ({ layers, leaves, detector }): MethodParts<Bits> => ({
    unbiased: leaves === 2,
    draw: (random) => ({ random, mask: 0 }),
    reweight: (p, { random, mask }, q) =>
      reweightWords(p, random, q, (p, words, q) => {
        if (mask !== 0) for (let i = 0; i < words.length; i++) words[i]! ^= mask
        tournament(p, words, layers, leaves, q)
      }),
    score: bitScore(layers, detector),
    detector: bitDetector(layers, detector, 1 / 2),
    ...(layers <= MAX_LAYERS_LISTED && { enumerate: (vocabSize: number) => allBits(vocabSize, layers) }),
    ...(leaves === 2 &&
      layers <= MAX_LAYERS_IN_ORBIT && {
        orbit: (code: Bits) =>
          Array.from({ length: 2 ** layers }, (_, flips) => ({ ...code, mask: code.mask ^ flips })),
      }),
  }),
})
