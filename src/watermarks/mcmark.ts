/**
 * MCmark (Chen et al. 2025): a secret partition into l channels, one of which is chosen and preferred (channels.ts).
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { ngram } from '../keys/ngram.ts'
import { below, OWN, type Random, wordsOf } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import type { Weighted } from '../watermark.ts'
import { type Channels, channelReweight, drawChannels } from './channels.ts'
import { scoreOfWord } from './word-score.ts'

/** 1 for tokens of the chosen channel, else 0. */
function channelScore(channels: number, draw: (random: Random) => Channels) {
  const limit = 2 ** 32 - (2 ** 32 % channels)
  return scoreOfWord<Channels>(
    (token, { random, chosen }) => (below(random, token, channels) === chosen ? 1 : 0),
    draw,
    (word, choice) => {
      if (word >= limit || choice >= limit) return Number.NaN // thrown away: further words decide
      // exact: quotients are below 2^32, and those that are not whole differ from the next whole number by 2^-16 or more
      const quotient = (word - choice) / channels
      return quotient === Math.floor(quotient) ? 1 : 0
    },
    [-1, 0, 0, OWN], // the token's word, and the position's
  )
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
export const mcmark = defineMethod('mcmark', {
  parameters: {
    /** Number of channels. */
    channels: parameter.integer(2, 65_536, { example: 20, shapesCode: true }),
    context: parameter.context(() => ngram(2)),
  },
  shipped: [{ channels: 10 }, { channels: 20 }, { channels: 50 }, { channels: 100 }],
  small: { channels: 3 },
  make: ({ channels }): MethodParts<Channels> => {
    const draw = drawChannels(channels)
    return {
      unbiased: true,
      draw,
      reweight: (p, code, q) => channelReweight(p, code, channels, q),
      score: channelScore(channels, draw),
      detector: sumDetector({ nullLaw: binomial(1 / channels), bound: 1 }),
      enumerate: (vocabSize) => allChannels(vocabSize, channels),
      orbit: (code) => Array.from({ length: channels }, (_, chosen) => ({ ...code, chosen })),
    }
  },
})
