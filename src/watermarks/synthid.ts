/**
 * SynthID-Text (Dathathri et al. 2024): a tournament in m layers, each with a secret bit g per token. With two leaves the
 * closed form of one layer is p_i <- p_i (1 + g_i - G), G the mass of the tokens with g = 1: unbiased. With three leaves,
 * p_i <- p_i times the chance that i wins against two rivals: biased ("distortionary"), shipped as a control.
 *
 * All m bits of a token come from one 32-bit word.
 */
import { binomial, weightedBits } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { integer, oneOf, outOfRange } from '../input.ts'
import { active } from '../kernels/active.ts'
import { reweightWords } from '../kernels/support.ts'
import { ngram } from '../keys/ngram.ts'
import { type Random, wordsOf } from '../keys/random.ts'
import type { ContextRule } from '../keys/rule.ts'
import { bitCodes, oneRate } from '../reference/codes/bits.ts'
import { defineWatermark, type Watermark, type Weighted } from '../watermark.ts'
import { type Codes, checkCodes, domainOf, idOf, usual } from './name.ts'

/** m bits per token; `mask` complements whole layers. */
export interface Bits {
  readonly random: Pick<Random, 'uint32' | 'fill'>
  readonly mask: number
}

export interface SynthidOptions {
  /** Tournament layers, 1 to 32. Default 20. */
  readonly layers?: number
  /** Leaves of the tournament: 2 (unbiased, the default) or 3 (biased). */
  readonly leaves?: 2 | 3
  /** 'mean' counts every bit alike (the default); 'weighted' gives early layers, which carry more signal, more weight. */
  readonly detector?: 'mean' | 'weighted'
  readonly context?: ContextRule
  /** 'reference': as published, after four tokens; the key is one integer per layer. */
  readonly codes?: Codes
  /** Which published code: of Hugging Face Transformers (the default) or of the google-deepmind repository. */
  readonly flavor?: 'huggingface' | 'google'
}

/** Above this the 2^m members of an orbit are too many to list; spec/watermarks checks large m by induction over layers. */
const MOST_LAYERS_IN_ORBIT = 10

/** Above this even two tokens have too many codes to list. */
const MOST_LAYERS_LISTED = 8

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
    active().classMass(from, words, first, mass)
    active().classScale(from, words, first, patternFactors(mass, leaves), q)
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

/** @example synthid({ layers: 20 }) */
export function synthid(options: SynthidOptions = {}): Watermark<Bits> {
  const layers = integer('layers', options.layers ?? 20, 1, 32)
  const leaves = integer('leaves', options.leaves ?? 2, 2, 3) as 2 | 3
  const detector = oneOf('detector', options.detector ?? 'mean', ['mean', 'weighted'])
  const weights = layerWeights(layers)
  const weightOf = weightedBitSum(weights)
  const codes = checkCodes(options.codes)
  const flavor = oneOf('flavor', options.flavor ?? 'huggingface', ['huggingface', 'google'])
  if (options.flavor !== undefined && codes === 'own')
    throw outOfRange('flavor', "none without codes: 'reference'", flavor)
  const rate = codes === 'reference' ? oneRate(flavor) : 1 / 2
  const standard = codes === 'reference' ? ngram(4) : usual()
  const context = options.context ?? standard
  const used = layers === 32 ? -1 : (1 << layers) - 1
  return defineWatermark<Bits>({
    id: idOf('synthid', [
      ['layers', layers],
      ['leaves', leaves, 2],
      ['detector', detector, 'mean'],
      ['codes', codes, 'own'],
      ['flavor', flavor, 'huggingface'],
      ['context', context.id, standard.id],
    ]),
    domain: domainOf('synthid', context, [
      ['layers', layers],
      ['codes', codes, 'own'],
    ]),
    unbiased: leaves === 2,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: (random) => ({ random, mask: 0 }),
    reweight: (p, { random, mask }, q) =>
      reweightWords(p, random, q, (p, words, q) => {
        if (mask !== 0) for (let i = 0; i < words.length; i++) words[i]! ^= mask
        tournament(p, words, layers, leaves, q)
      }),
    ...(detector === 'mean'
      ? {
          score: (token: number, { random, mask }: Bits) => bitCount((random.uint32(token) ^ mask) & used),
          detector: sumDetector({ nullLaw: binomial(rate, { trials: layers }), bound: layers }),
        }
      : {
          score: (token: number, { random, mask }: Bits) => weightOf(random.uint32(token) ^ mask),
          detector: sumDetector({
            nullLaw: weightedBits(weights, { rate }),
            bound: weights.reduce((sum, w) => sum + w, 0),
          }),
        }),
    ...(layers <= MOST_LAYERS_LISTED && { enumerate: (vocabSize: number) => allBits(vocabSize, layers) }),
    ...(leaves === 2 &&
      layers <= MOST_LAYERS_IN_ORBIT && {
        orbit: (code: Bits) =>
          Array.from({ length: 2 ** layers }, (_, flips) => ({ ...code, mask: code.mask ^ flips })),
      }),
    ...(codes === 'reference' && bitCodes(flavor, layers)),
  })
}
