/** Orders as the MCmark repository draws them, for DiPmark and gamma-reweight. */
import { withoutReplacement } from '../../detect/null-laws.ts'
import { sumDetector } from '../../detect/sum-detector.ts'
import { outOfRange } from '../../input.ts'
import type { Order } from '../../watermarks/permute.ts'
import { mcmarkCode, mcmarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { lazyWords, permutations, splitAt, wordsByRank } from './words.ts'

interface RankedOrder extends Order {
  readonly ranked: () => Int32Array
}

/** How many tokens are *not* in the upper half: those of quantile (rank + 1) / V at most 1/2. */
const lowerSize = (vocabSize: number): number => Math.floor(vocabSize / 2)

const byRank = (ranked: () => Int32Array): RankedOrder => ({
  random: lazyWords(() => {
    const order = ranked()
    return wordsByRank(order, splitAt(order.length, lowerSize(order.length), 2 ** 31))
  }),
  flip: 0,
  ranked,
})

/** The orders of the MCmark repository; its upper half is ceil(V/2) of V tokens. */
export const orderCodes = publishedCodes({
  codes: 'reference',
  about: 'as in the MCmark repository; the key is the private key.',
  parameters: {},
  implementations: { mcmark: {} },
  parts({ detector }: { detector: string }): PublishedParts<Order> {
    if (detector !== 'half')
      throw outOfRange('detector', "'half' with codes: 'reference', which are ranks", detector)
    return {
      draw(_random, vocabSize, { key, context }) {
        let order: Int32Array | undefined
        return byRank(() => {
          order ??= mcmarkCode(mcmarkSeed({ privateKey: key, context }), vocabSize).order
          return order
        })
      },
      detector: sumDetector({
        nullLaw: (vocabSize) => withoutReplacement(vocabSize - lowerSize(vocabSize), vocabSize),
        bound: 1,
      }),
      orbit(order) {
        const { ranked } = order as RankedOrder
        return [order, byRank(() => ranked().toReversed())]
      },
      *enumerate(vocabSize) {
        const all = permutations(vocabSize)
        for (const order of all) yield { code: byRank(() => order), weight: 1 / all.length }
      },
    }
  },
})
