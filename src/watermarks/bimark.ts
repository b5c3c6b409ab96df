/**
 * BiMark (Feng et al. 2025), without a message: in each of d layers a secret half of the vocabulary, the same at every position, and a fair coin of the position. With
 * p0 the mass of that half, delta' = min(1/p0, 1 + delta) - 1 and beta' = delta' p0 / (1 - p0),
 *
 *   heads:  q_i = p_i (1 + delta') inside, p_i (1 - beta') outside
 *   tails:  q_i = p_i (1 - delta') inside, p_i (1 + beta') outside
 *
 * so the two outcomes of a coin average to p, layer by layer. A token scores in a layer where it is inside at heads or outside at tails: given the halves,
 * that is as fair as the coin, whatever the token.
 */

import { binomial, sumDetector } from '../core/detect/index.ts'
import { reweightWords } from '../core/kernels/index.ts'
import type { Words } from '../core/keys/index.ts'
import { ngram, OWN, wordsOf } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import type { NullLaw, Weighted } from '../watermark.ts'
import { bitCount, playLayers } from './mechanisms/layers.ts'

/** The half of each layer that a token is in, as bits of its word, and the coins of a position. */
export interface Coins {
  readonly halves: Words
  readonly coins: number
}

/** Above this there are too many coins to list. */
const MAX_LAYERS_IN_ORBIT = 10

/** Above this there are too many codes to list. */
const MAX_LAYERS_LISTED = 3

/** The factors of the tokens outside and inside, given the share of the mass that is inside. */
function flipFactors(inside: number, heads: boolean, delta: number): readonly [number, number] {
  // one half has all the mass: nothing to move
  if (!(inside > 0 && inside < 1)) return [1, 1]
  const up = Math.max(0, Math.min(1 / inside, 1 + delta) - 1)
  const down = Math.min(1, (up * inside) / (1 - inside))
  return heads ? [1 - down, 1 + up] : [1 + down, Math.max(0, 1 - up)]
}

/**
 * The number of layers in which a token scores. Given the halves, scores of positions with coins of their own are independent; two tokens under the same
 * coins are not, and there is no law for contexts that recur.
 */
function coinLaw(layers: number): NullLaw {
  const { logTailOfCounts: _, ...law } = binomial(1 / 2, { trials: layers })
  return law
}

/** Every assignment of halves to the tokens of a small vocabulary, with every set of coins. */
function* allCoins(vocabSize: number, layers: number): Generator<Weighted<Coins>> {
  const weight = 2 ** (-layers * (vocabSize + 1))
  for (let index = 0; index < 2 ** (layers * vocabSize); index++) {
    const words = Array.from(
      { length: vocabSize },
      (_, token) => Math.floor(index / 2 ** (layers * token)) % 2 ** layers,
    )
    for (let coins = 0; coins < 2 ** layers; coins++)
      yield { code: { halves: wordsOf(words), coins }, weight }
  }
}

/**
 * BiMark (Feng et al., 2025), without a message: a fair coin decides which half of the vocabulary is preferred, in several layers.
 * @example bimark({ layers: 10 }).unbiased // true
 */
export const bimark = defineMethod('bimark', {
  parameters: {
    /** Layers. */
    layers: parameter.integer(1, 32, { default: 10, shapesCode: true }),
    /** The largest share of the preferred half's mass that is added to it. */
    delta: parameter.number(0, 1, { default: 1 }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  small: { layers: 2 },
  make({ layers, delta }): MethodParts<Coins> {
    const used = layers === 32 ? -1 : (1 << layers) - 1
    return {
      unbiased: true,
      draw: (random, _, { shared }) => ({ halves: shared, coins: random.uint32(OWN) & used }),
      reweight: (p, { halves, coins }, q) =>
        reweightWords(p, halves, q, (p, words, q) =>
          playLayers(
            p,
            words,
            layers,
            // of the total, not of 1: tails would double what the total lacks, layer after layer
            (inside, layer, total) => flipFactors(inside / total, ((coins >>> layer) & 1) === 1, delta),
            q,
          ),
        ),
      // inside at heads or outside at tails: the bits agree
      score: (token, { halves, coins }) => bitCount(~(halves.uint32(token) ^ coins) & used),
      detector: sumDetector({ nullLaw: coinLaw(layers), bound: layers }),
      ...(layers <= MAX_LAYERS_LISTED && { enumerate: (vocabSize: number) => allCoins(vocabSize, layers) }),
      ...(layers <= MAX_LAYERS_IN_ORBIT && {
        orbit: (code: Coins) => Array.from({ length: 2 ** layers }, (_, coins) => ({ ...code, coins })),
      }),
    }
  },
})
