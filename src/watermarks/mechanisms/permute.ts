/**
 * Permute-reweight (Hu et al. 2023, Wu et al. 2023): lay the tokens on [0, 1] in a secret order, each as wide as its
 * probability. The lowest `alpha` of mass is removed and the highest `alpha` counted twice:
 *
 *   q_i = p_i - |interval_i in [0, alpha]| + |interval_i in [1 - alpha, 1]|
 *
 * which are the increments of max(s - alpha, 0) + max(s - (1 - alpha), 0) along the order. In the reversed order the two
 * parts change places, so the two orders average to p exactly.
 *
 * The order is by one 32-bit word per token, distinct within a position. No sort: F bends at two points only, and the
 * tokens there are weighted quantiles.
 */
import { active, edges, reweightWords } from '../../core/kernels/index.ts'
import type { Words } from '../../core/keys/index.ts'
import { type Random, wordsOf } from '../../core/keys/index.ts'
import type { Weighted } from '../../watermark.ts'

/** Tokens in the order of their words; `flip` is 0, or -1 for the reversed order. */
export interface Order {
  readonly random: Words
  readonly flip: 0 | -1
}

export const drawOrder = (random: Random): Order => ({ random, flip: 0 })

/** The order and its reverse. */
export const orderOrbit = (order: Order): Order[] => [order, { ...order, flip: order.flip === 0 ? -1 : 0 }]

/** A token's word: its place in the order. */
export const wordAt = (token: number, { random, flip }: Order): number => (random.uint32(token) ^ flip) >>> 0

/** 1 in the upper half of all words: probability exactly 1/2 and O(1), no rank needed. */
export const upperHalf = (token: number, order: Order): 0 | 1 => (wordAt(token, order) >= 2 ** 31 ? 1 : 0)

/** All orders of 0 .. n-1, as lists of ranks. */
function* permutations(n: number): Generator<number[]> {
  if (n === 0) yield []
  for (const shorter of n === 0 ? [] : permutations(n - 1))
    for (let at = 0; at < n; at++) yield [...shorter.slice(0, at), n - 1, ...shorter.slice(at)]
}

/**
 * Every order of a small vocabulary, and how many tokens lie in the upper half of all words: the ranks of independent uniform
 * words do not depend on how many exceed 1/2, so the weights are 1/V! times C(V, k)/2^V.
 */
export function* allOrders(vocabSize: number): Generator<Weighted<Order>> {
  let orders = 1
  for (let i = 2; i <= vocabSize; i++) orders *= i
  for (const ranks of permutations(vocabSize)) {
    let subsets = 1
    for (let upper = 0; upper <= vocabSize; upper++) {
      const words = ranks.map((rank) => (rank >= vocabSize - upper ? 2 ** 31 + rank : rank))
      yield { code: { random: wordsOf(words), flip: 0 }, weight: subsets / 2 ** vocabSize / orders }
      subsets = (subsets * (vocabSize - upper)) / (upper + 1)
    }
  }
}

/** Writes q for the given order. */
export function permuteReweight(p: Float64Array, order: Order, alpha: number, q: Float64Array): void {
  // the lowest alpha of mass is removed and the highest added; in the reversed order the other way round
  const sign = order.flip === 0 ? 1 : -1
  reweightWords(p, order.random, q, (p, words, q) => {
    const { low, high } = edges(p, words, alpha)
    active(p).orderScale(p, words, low.word, high.word, -sign, sign, q)
    // the two tokens at the edges are cut there
    for (let end = 0; end < 2; end++) {
      const { token, word } = end === 0 ? low : high
      const mass = p[token]!
      const below = word < low.word ? mass : word === low.word ? low.inside : 0
      const above = word > high.word ? mass : word === high.word ? high.inside : 0
      q[token] = mass + sign * (above - below)
    }
  })
}
