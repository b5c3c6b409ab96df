/**
 * StealthInk (Jiang et al. 2025), without a message: tokens lie on [0, 1] in a secret order, each as wide as its probability, and one of 2^b chunks of the order, [0, beta] here, is
 * avoided; its mass goes to its mirror image:
 *
 *   q_i = p_i - |interval_i in [0, beta]| + |interval_i in [1 - beta, 1]|
 *
 * With one bit the chunk is the lower half of all words, and in the reversed order the upper half: the two orders average to p, for every p and every V. With more
 * bits the chunk of the reversed order is another one, and the mean is not p: biased, as published.
 */
import { binomial, sumDetector } from '../core/detect/index.ts'
import { active, edges, reweightWords } from '../core/kernels/index.ts'
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { allOrders, drawOrder, type Order, orderOrbit, wordAt } from './mechanisms/permute.ts'
import { ofOwnWord } from './mechanisms/word-score.ts'

/** Writes q: the chunk of the words below `threshold` is left out, and the other end of the order gets its mass. */
function avoidChunk(p: Float64Array, { random, flip }: Order, threshold: number, q: Float64Array): void {
  reweightWords(p, random, q, (p, words, q) => {
    // in the reversed order the chunk is at the top of the words
    const shift = flip === 0 ? 0 : threshold
    const chunk = Math.min(1, active(p).greenMass(p, words, shift, threshold))
    const { low, high } = edges(p, words, chunk)
    const edge = flip === 0 ? high : low
    for (let i = 0; i < p.length; i++) {
      const word = words[i]!
      const kept = (word + shift) >>> 0 < threshold ? 0 : p[i]!
      const isBeyond = flip === 0 ? word > edge.word : word < edge.word
      q[i] = kept + (word === edge.word ? edge.inside : isBeyond ? p[i]! : 0)
    }
  })
}

/**
 * StealthInk (Jiang et al., 2025), without a message: a chunk of a secret order is avoided, its mirror image gets its mass. Unbiased with one bit.
 * @example stealthInk({ bits: 1 }).unbiased // true
 */
export const stealthInk = defineMethod('stealthInk', {
  parameters: {
    /** Bits of a symbol: one of 2^bits chunks is avoided. Unbiased with one; biased with more. */
    bits: parameter.integer(1, 8, { default: 1 }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make({ bits }): MethodParts<Order> {
    const threshold = 2 ** (32 - bits)
    const outside = (word: number): number => (word < threshold ? 0 : 1)
    return {
      unbiased: bits === 1,
      draw: drawOrder,
      reweight: (p, order, q) => avoidChunk(p, order, threshold, q),
      score: (token, order) => outside(wordAt(token, order)),
      fast: ofOwnWord(outside),
      detector: sumDetector({ nullLaw: binomial(1 - threshold / 2 ** 32), bound: 1 }),
      ...(bits === 1 && { orbit: orderOrbit, enumerate: allOrders }),
    }
  },
})
