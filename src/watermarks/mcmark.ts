/**
 * MCmark (Chen et al. 2025): a secret partition into l channels, one of which is chosen and preferred (channels.ts).
 */
import { allTokensTest, binomial, sumDetector } from '../core/detect/index.ts'
import { ngram, OWN, wordsOf } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import type { Weighted, WordScore } from '../watermark.ts'
import { type Channels, channelReweight, channelScore, drawChannels } from './mechanisms/channels.ts'
import { greenTests } from './mechanisms/green.ts'
import { channelCodes } from './published/codes/channels.ts'
import { withPublished } from './published/published.ts'

/** The score, 1 for tokens of the chosen channel, from the token's word and the position's. */
function channelWords(channels: number): WordScore {
  const limit = 2 ** 32 - (2 ** 32 % channels)
  return {
    indices: [-1, 0, 0, OWN],
    score(word, choice) {
      if (word >= limit || choice >= limit) return Number.NaN // thrown away: further words decide
      // exact: quotients are below 2^32, and those that are not integers differ from the next one by 2^-16 or more
      const quotient = (word - choice) / channels
      return quotient === Math.floor(quotient) ? 1 : 0
    },
  }
}

/** All partitions of 0 .. n-1, each token named by the number of its block; blocks are numbered as they appear. */
function* partitions(n: number): Generator<number[]> {
  if (n === 0) yield []
  for (const shorter of n === 0 ? [] : partitions(n - 1)) {
    const blocks = Math.max(-1, ...shorter) + 1
    for (let block = 0; block <= blocks; block++) yield [...shorter, block]
  }
}

/**
 * Every partition of a small vocabulary up to the names of its channels, with each chosen block, or an empty channel:
 * l (l-1) ... (l-b+1) / l^V is the chance of a partition into b blocks, 1/l that of each choice.
 */
function* allChannels(vocabSize: number, channels: number): Generator<Weighted<Channels>> {
  for (const block of partitions(vocabSize)) {
    const blocks = Math.max(-1, ...block) + 1
    let weight = channels ** -vocabSize
    for (let b = 0; b < blocks; b++) weight *= channels - b
    if (weight === 0) continue
    const random = wordsOf(block)
    for (let chosen = 0; chosen < blocks; chosen++)
      yield { code: { random, chosen }, weight: weight / channels }
    if (blocks < channels)
      yield { code: { random, chosen: blocks }, weight: (weight * (channels - blocks)) / channels }
  }
}

/**
 * MCmark (Chen et al., 2025): a secret partition of the vocabulary into channels, one of which is preferred.
 * @example mcmark({ channels: 20 }).id // 'mcmark(channels=20)'
 */
export const mcmark = withPublished(
  defineMethod('mcmark', {
    parameters: {
      /** Number of channels. */
      channels: parameter.integer(2, 65_536, { example: 20, shapesCode: true }),
      /**
       * 'guaranteed': the exact tail over what is independent. 'published': the binomial tail of the published code, which counts every
       * token as an independent trial; its p-values can be too small.
       */
      detector: parameter.oneOf(greenTests),
      context: parameter.context(() => ngram(2)),
    },
    shipped: [{ channels: 10 }, { channels: 20 }, { channels: 50 }, { channels: 100 }],
    small: { channels: 3 },
    make: ({ channels, detector }): MethodParts<Channels> => ({
      unbiased: true,
      draw: drawChannels(channels),
      reweight: (p, code, q) => channelReweight(p, code, channels, q),
      score: channelScore(channels),
      fast: { words: channelWords(channels) },
      detector:
        detector === 'published'
          ? allTokensTest('binomial-test', 1 / channels)
          : sumDetector({ nullLaw: binomial(1 / channels), bound: 1 }),
      enumerate: (vocabSize) => allChannels(vocabSize, channels),
      orbit: (code) => Array.from({ length: channels }, (_, chosen) => ({ ...code, chosen })),
    }),
  }),
  channelCodes,
)
