/** Orders as published implementations draw them, for DiPmark and gamma-reweight. */
import { sumDetector, withoutReplacement } from '../../../core/detect/index.ts'
import type { ContextRule } from '../../../core/keys/index.ts'
import { ngram } from '../../../core/keys/index.ts'
import { parameter } from '../../../core/method/index.ts'
import { outOfRange } from '../../../input.ts'
import type { Order } from '../../mechanisms/permute.ts'
import { mcmarkSeed, unbiasedWatermarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { drawn, given, type Permutation, rankedWords } from './permutation.ts'
import { contextsOption } from './scored.ts'
import { permutations, splitAt } from './words.ts'

interface RankedOrder extends Order {
  readonly permutation: Permutation
}

/** The differences between the implementations. */
interface Flavor {
  seed(key: Uint8Array, context: readonly number[]): number
  /** The number of tokens that are *not* in the upper half. */
  lowerSize(vocabSize: number): number
  once(): ContextRule
  published(): ContextRule
}

const flavors: Readonly<Record<string, Flavor>> = {
  // quantiles (rank + 1) / V above 1/2
  mcmark: {
    seed: (privateKey, context) => mcmarkSeed({ privateKey, context }),
    lowerSize: (vocabSize) => Math.floor(vocabSize / 2),
    once: () => ngram(2),
    published: () => ngram(2, { repeated: 'reuse', short: true }),
  },
  // five tokens; used contexts are left alone
  unbiasedWatermark: {
    seed: unbiasedWatermarkSeed,
    lowerSize: (vocabSize) => Math.floor(vocabSize / 2),
    once: () => ngram(5),
    published: () => ngram(5),
  },
  // quantiles (rank + 1) / V of at least 1/2
  markllm: {
    seed: unbiasedWatermarkSeed,
    lowerSize: (vocabSize) => Math.ceil(vocabSize / 2) - 1,
    once: () => ngram(5),
    published: () => ngram(5),
  },
}

const byRank = (permutation: Permutation, lowerSize: number): RankedOrder => ({
  random: rankedWords(permutation, splitAt(permutation.size, lowerSize, 2 ** 31)),
  flip: 0,
  permutation,
})

/** The orders of the MCmark repository, whose upper half is ceil(V/2) of V tokens, and of those that it descends from. */
export const orderCodes = publishedCodes({
  codes: 'reference',
  about: 'as published, see `flavor`; the key is the private key.',
  parameters: {
    /** The published code. */
    flavor: parameter.oneOf(['mcmark', 'unbiasedWatermark', 'markllm'], {
      about: 'Which published code: of the MCmark repository, of UnbiasedWatermark or of MarkLLM.',
    }),
    contexts: contextsOption,
  },
  implementations: {
    mcmark: { flavor: 'mcmark' },
    'unbiased-watermark': { flavor: 'unbiasedWatermark' },
    markllm: { flavor: 'markllm' },
  },
  context: ({ flavor, contexts }) => flavors[flavor as string]![contexts as 'once' | 'published'](),
  parts({ flavor, detector }: { flavor: string; detector: string }): PublishedParts<Order> {
    if (detector === 'linear')
      throw outOfRange('detector', "'half' or 'published' with codes: 'reference', which are ranks", detector)
    const { seed, lowerSize } = flavors[flavor]!
    const ordered = (permutation: Permutation) => byRank(permutation, lowerSize(permutation.size))
    return {
      draw: (_random, vocabSize, { key, context }) => ordered(drawn(seed(key, context), vocabSize)),
      detector: sumDetector({
        nullLaw: (vocabSize) => withoutReplacement(vocabSize - lowerSize(vocabSize), vocabSize),
        bound: 1,
      }),
      orbit(order) {
        const { permutation } = order as RankedOrder
        return [order, ordered(given(permutation.order().toReversed()))]
      },
      *enumerate(vocabSize) {
        const all = permutations(vocabSize)
        for (const order of all) yield { code: ordered(given(order)), weight: 1 / all.length }
      },
    }
  },
})
