/** Channels as the MCmark repository draws them: cuts of a permutation, and a channel from the same stream. */
import { sumDetector, withoutReplacement } from '../../../core/detect/index.ts'
import type { Channels } from '../../mechanisms/channels.ts'
import { mcmarkChannel, mcmarkChannelStart, mcmarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { drawn, given, type Permutation, rankedWords } from './permutation.ts'
import { contextsOption, mcmarkContexts } from './scored.ts'
import { permutations } from './words.ts'

/** The channel of a rank: the last one that begins at or before it. */
function channelOf(rank: number, vocabSize: number, channels: number): number {
  let k = Math.floor((rank * channels) / vocabSize)
  while (k > 0 && mcmarkChannelStart(vocabSize, channels, k) > rank) k--
  while (k < channels - 1 && mcmarkChannelStart(vocabSize, channels, k + 1) <= rank) k++
  return k
}

/** Each token's word is its channel: a word below l is its own remainder. */
const cut = (permutation: Permutation, channels: number, chosen: number): Channels => ({
  chosen,
  random: rankedWords(permutation, (rank) => channelOf(rank, permutation.size, channels)),
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
  parameters: { contexts: contextsOption },
  implementations: { mcmark: {} },
  context: mcmarkContexts,
  parts: ({ channels }: { channels: number }): PublishedParts<Channels> => ({
    draw(_random, vocabSize, { key, context }) {
      const seed = mcmarkSeed({ privateKey: key, context })
      return cut(drawn(seed, vocabSize), channels, mcmarkChannel(seed, vocabSize, channels))
    },
    detector: sumDetector({
      nullLaw: (vocabSize) => withoutReplacement(sizesOf(vocabSize, channels), vocabSize),
      bound: 1,
    }),
    *enumerate(vocabSize) {
      const all = permutations(vocabSize)
      for (const order of all)
        for (let chosen = 0; chosen < channels; chosen++)
          yield { code: cut(given(order), channels, chosen), weight: 1 / (all.length * channels) }
    },
  }),
})
