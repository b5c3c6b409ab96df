/** Channels as the MCmark repository draws them: cuts of a permutation, and a channel from the same stream. */
import { withoutReplacement } from '../../detect/null-laws.ts'
import { sumDetector } from '../../detect/sum-detector.ts'
import type { Channels } from '../../watermarks/mcmark.ts'
import { mcmarkChannelStart, mcmarkCode, mcmarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { lazyWords, permutations, wordsByRank } from './words.ts'

/** Each token's word is its channel: a word below l is its own remainder. */
const cut = (order: Int32Array, channels: number, chosen: number): Channels => ({
  chosen,
  random: lazyWords(() => {
    let k = 0
    return wordsByRank(order, (rank) => {
      while (rank >= mcmarkChannelStart(order.length, channels, k + 1)) k++
      return k
    })
  }),
})

/** The sizes of all channels. */
const sizesOf = (vocabSize: number, channels: number): number[] =>
  Array.from(
    { length: channels },
    (_, k) => mcmarkChannelStart(vocabSize, channels, k + 1) - mcmarkChannelStart(vocabSize, channels, k),
  )

/**
 * The channels of the MCmark repository. Sizes differ by one where l does not divide V, but the chosen channel is
 * uniform, so a token is in it with probability 1/l all the same.
 */
export const channelCodes = publishedCodes({
  codes: 'reference',
  about: 'as in the MCmark repository; the key is the private key.',
  parameters: {},
  implementations: { mcmark: {} },
  parts: ({ channels }: { channels: number }): PublishedParts<Channels> => ({
    draw(_random, vocabSize, { key, context }) {
      const { order, channel } = mcmarkCode(mcmarkSeed({ privateKey: key, context }), vocabSize, channels)
      return cut(order, channels, channel)
    },
    detector: sumDetector({
      nullLaw: (vocabSize) => withoutReplacement(sizesOf(vocabSize, channels), vocabSize),
      bound: 1,
    }),
    *enumerate(vocabSize) {
      const all = permutations(vocabSize)
      for (const order of all)
        for (let chosen = 0; chosen < channels; chosen++)
          yield { code: cut(order, channels, chosen), weight: 1 / (all.length * channels) }
    },
  }),
})
