/** Bits of SynthID as inference engines and toolkits draw them: vLLM and TextSeal. */

import type { Words } from '../../../core/keys/index.ts'
import { wordsBy } from '../../../core/keys/index.ts'
import { integer } from '../../../input.ts'
import { type Bits, bitDetector, layerWeights, PAGE, pageScores, pages } from '../../mechanisms/bits.ts'
import { textsealContexts, vllmContexts } from '../context.ts'
import { keyWords, PhiloxWords } from '../philox.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey } from '../secret.ts'
import { TEXTSEAL_LAYER, TEXTSEAL_VALUES, TextsealHash, textsealWords } from '../textseal.ts'
import { overPairs, textsealKey } from './textseal.ts'
import { philoxEngine, vllmKeyOf } from './vllm.ts'

/** The streams of layers, 32 layers each, begin here: 'SYNT' and a zero word. */
const STREAMS = 0x53594e5400000000n
const MAX_DEPTH = 64

interface Values {
  readonly layers: number
  readonly detector: 'mean' | 'weighted'
}

/** Joins the words of each 32 layers. */
function bitsOf(layers: number, words: (page: number, size: number) => Words): Bits {
  const [random, ...more] = pages(layers).map((size, page) => words(page, size))
  return { random: random!, mask: 0, ...(more.length > 0 && { more }) }
}

/** Returns the score of a token by its words: two for more than 32 layers. */
function wordsScore(layers: number, detector: Values['detector']): (word: number, more: number) => number {
  const [first, second] = pageScores(layers, detector === 'mean' ? undefined : layerWeights(layers))
  return second === undefined ? first! : (word, more) => first!(word) + second(more)
}

/** SynthID-Text of vLLM: layer l is bit l mod 32 of a token's word in stream number floor(l / 32). */
export const vllmBitCodes = publishedCodes({
  codes: 'vllm',
  about:
    'the PRF `philox4x32-10-v1` of vLLM, after four generated tokens, at most 64 layers (32 in vLLM); the key is a 64-bit integer.',
  parameters: {},
  implementations: { vllm: {} },
  context: () => vllmContexts(),
  parts({ layers, detector }: Values): PublishedParts<Bits> {
    integer('layers', layers, 1, MAX_DEPTH)
    const streams = pages(layers).map((_, page) => keyWords(STREAMS + BigInt(page)))
    const secret = perKey((key) => keyWords(vllmKeyOf(key)))
    return {
      draw: (_random, _vocabSize, { key, context }) =>
        bitsOf(layers, (page) => {
          const words = new PhiloxWords(secret(key), context, streams[page])
          return wordsBy((token) => words.at(token))
        }),
      detector: bitDetector(layers, detector, 1 / 2),
      fast: {
        words: {
          indices: [],
          engine: (key) => philoxEngine([secret(key)], streams),
          score: wordsScore(layers, detector),
        },
      },
    }
  },
})

/** A layer hashes the token plus this times its number. */
const LAYER_STEP = TEXTSEAL_LAYER
/** Hashes up to this have a uniform below 1/2: bit 1. */
const LARGEST_ONE = (TEXTSEAL_VALUES - 1) / 2

/** SynthID of TextSeal. Its layers are correlated under every key, so their average is not exactly p. */
export const textsealBitCodes = publishedCodes({
  codes: 'textseal',
  about:
    'the hash of TextSeal, after one token; the key is an integer. Biased, and p-values are not guaranteed.',
  parameters: {},
  implementations: { textseal: {} },
  context: () => textsealContexts(),
  parts({ layers, detector }: Values): PublishedParts<Bits> {
    return {
      unbiased: false,
      draw(_random, _vocabSize, { key, context }) {
        const hash = new TextsealHash(textsealKey(key), context)
        return bitsOf(layers, (page, size) =>
          wordsBy((token) => {
            let word = 0
            for (let bit = 0; bit < size; bit++)
              if (hash.at(token + LAYER_STEP * (PAGE * page + bit)) <= LARGEST_ONE) word |= 1 << bit
            return word >>> 0
          }),
        )
      },
      detector: overPairs(bitDetector(layers, detector, (LARGEST_ONE + 1) / TEXTSEAL_VALUES)),
      ...(layers <= MAX_DEPTH && {
        fast: {
          words: {
            indices: [],
            engine: (key) => ({
              kernel: 'textsealWords',
              keys: pages(layers).map((size, page) => textsealWords(textsealKey(key), size, PAGE * page)),
            }),
            score: wordsScore(layers, detector),
          },
        },
      }),
      orbit: undefined,
      enumerate: undefined,
    }
  },
})
