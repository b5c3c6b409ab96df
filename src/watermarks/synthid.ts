/**
 * SynthID-Text (Dathathri et al. 2024): a tournament in m layers, each with a secret bit g per token. With two leaves the
 * closed form of one layer is p_i <- p_i (1 + g_i - G), G the mass of the tokens with g = 1: unbiased. With three leaves,
 * p_i <- p_i times the chance that i wins against two rivals: biased ("distortionary"), shipped as a control.
 *
 * All m bits of a token come from one 32-bit word; layers beyond 32 read further words of the same token.
 */

import { reweightWords } from '../core/kernels/index.ts'
import { ngram, type Random, wordsFrom, wordsOf } from '../core/keys/index.ts'
import { defineMethod, type MethodParameter, type MethodParts, parameter } from '../core/method/index.ts'
import type { Weighted } from '../watermark.ts'
import { type Bits, bitDetector, bitScore, layerWeights, PAGE, pages } from './mechanisms/bits.ts'
import { playLayers } from './mechanisms/layers.ts'
import { synthidCodes } from './published/codes/bits.ts'
import { textsealBitCodes, vllmBitCodes } from './published/codes/engine-bits.ts'
import { withPublished } from './published/published.ts'

/** The most layers: published implementations have 30. */
const MAX_LAYERS = 128

/** The code of a position with own randomness. */
const drawBits = (random: Random, layers: number): Bits =>
  layers <= PAGE
    ? { random, mask: 0 }
    : { random, mask: 0, more: pages(layers - PAGE).map((_, page) => wordsFrom(random, page + 1)) }

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

/** Writes q: one page of layers after the other. */
function playAll(
  p: Float64Array,
  { random, mask, more = [] }: Bits,
  layers: number,
  leaves: 2 | 3,
  q: Float64Array,
): void {
  for (let page = 0; page * PAGE < layers; page++)
    reweightWords(
      page === 0 ? p : Float64Array.from(q),
      page === 0 ? random : more[page - 1]!,
      q,
      (p, words, q) => {
        if (page === 0 && mask !== 0) for (let i = 0; i < words.length; i++) words[i]! ^= mask
        tournament(p, words, Math.min(PAGE, layers - page * PAGE), leaves, q)
      },
    )
}

/**
 * SynthID Text (Dathathri et al., 2024): a tournament of secret bits, layer by layer.
 * @example synthid({ layers: 20 }).unbiased // true
 */
export const synthid = withPublished(
  defineMethod('synthid', {
    parameters: {
      /** Tournament layers. Default 20; 32 with the codes of vLLM and 30 with those of TextSeal, as there. */
      layers: {
        ...parameter.integer(1, MAX_LAYERS, { default: 20, shapesCode: true }),
        usual: ({ codes }) => (codes === 'vllm' ? 32 : codes === 'textseal' ? 30 : 20),
      } as MethodParameter<number, true>,
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
      draw: (random) => drawBits(random, layers),
      reweight: (p, code, q) => playAll(p, code, layers, leaves, q),
      ...bitScore(layers, detector === 'mean' ? undefined : layerWeights(layers)),
      detector: bitDetector(layers, detector, 1 / 2),
      ...(layers <= MAX_LAYERS_LISTED && { enumerate: (vocabSize: number) => allBits(vocabSize, layers) }),
      ...(leaves === 2 &&
        layers <= MAX_LAYERS_IN_ORBIT && {
          orbit: (code: Bits) =>
            Array.from({ length: 2 ** layers }, (_, flips) => ({ ...code, mask: code.mask ^ flips })),
        }),
    }),
  }),
  synthidCodes,
  vllmBitCodes,
  textsealBitCodes,
)
