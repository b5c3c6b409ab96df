/** Orders as the MCmark repository draws them, for DiPmark and gamma-reweight. */
import { withoutReplacement } from '../../detect/null-laws.ts'
import { sumDetector } from '../../detect/sum-detector.ts'
import type { Order } from '../../watermarks/permute.ts'
import { mcmarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { drawn, given, type Permutation, rankedWords } from './permutation.ts'
import { permutations, splitAt } from './words.ts'

interface RankedOrder extends Order {
  readonly permutation: Permutation
}

/** How many tokens are *not* in the upper half: those of quantile (rank + 1) / V at most 1/2. */
const lowerSize = (vocabSize: number): number => Math.floor(vocabSize / 2)

const byRank = (permutation: Permutation): RankedOrder => ({
  random: rankedWords(permutation, splitAt(permutation.size, lowerSize(permutation.size), 2 ** 31)),
  flip: 0,
  permutation,
})

/** The orders of the MCmark repository; its upper half is ceil(V/2) of V tokens. */
export const orderCodes = publishedCodes({
  codes: 'reference',
  about: 'as in the MCmark repository; the key is the private key.',
  parameters: {},
  implementations: { mcmark: {} },
  parts: (): PublishedParts<Order> => ({
    draw: (_random, vocabSize, { key, context }) =>
      byRank(drawn(mcmarkSeed({ privateKey: key, context }), vocabSize)),
    detector: sumDetector({
      nullLaw: (vocabSize) => withoutReplacement(vocabSize - lowerSize(vocabSize), vocabSize),
      bound: 1,
    }),
    orbit(order) {
      const { permutation } = order as RankedOrder
      return [order, byRank(given(permutation.order().toReversed()))]
    },
    *enumerate(vocabSize) {
      const all = permutations(vocabSize)
      for (const order of all) yield { code: byRank(given(order)), weight: 1 / all.length }
    },
  }),
})
