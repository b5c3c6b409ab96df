/**
 * MCmark (Chen et al. 2025): a secret partition into l channels and one chosen channel k. With S_j the mass of channel j,
 * the chosen channel is scaled by min(l, 1 / S_k); what is left over goes to the channels with more than their share 1/l:
 *
 *   inside k:   q_i = p_i min(l, 1 / S_k)
 *   outside:    q_i = (p_i / S_j) (1 - l S_k)^+ (l S_j - 1)^+ / sum_j (l S_j - 1)^+
 *
 * Averaged over the l choices of k, with the partition held, q is p.
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { active } from '../kernels/active.ts'
import { scratchClasses } from '../kernels/scratch.ts'
import { reweightWords } from '../kernels/support.ts'
import { ngram } from '../keys/ngram.ts'
import { below, OWN, type Random, wordsOf } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import type { Weighted } from '../watermark.ts'
import { scoreOfWord } from './word-score.ts'

/** A partition by one exactly uniform channel per token, and the chosen channel. */
export interface Channels {
  readonly random: Pick<Random, 'uint32' | 'fill'>
  readonly chosen: number
}

const positive = (x: number): number => Math.max(x, 0)

/** By how much q scales each channel, given their masses; as long as `mass`, which may end in channels that do not exist. */
function channelFactors(mass: Float64Array, chosen: number, channels: number): Float64Array {
  const surplus = mass.map((s) => positive(channels * s - 1))
  const total = surplus.reduce((sum, s) => sum + s, 0)
  const left = positive(1 - channels * mass[chosen]!)
  return mass.map((s, j) => {
    if (s === 0) return 0
    if (j === chosen) return Math.min(channels, 1 / s)
    return total === 0 ? 0 : (left * (surplus[j]! / total)) / s
  })
}

/** Writes q for the given partition and choice. */
function channelReweight(
  p: Float64Array,
  { random, chosen }: Channels,
  channels: number,
  q: Float64Array,
): void {
  const mass = new Float64Array(2 ** Math.ceil(Math.log2(channels)))
  reweightWords(p, random, q, (p, words, q, token) => {
    const channel = scratchClasses(p.length)
    const thrownAway = active(words).remainders(words, channels, channel)
    // once in millions of vocabularies a word is past the last full multiple: those tokens take their next word
    if (thrownAway > 0) for (let i = 0; i < p.length; i++) channel[i] = below(random, token(i), channels)
    active(p, mass).classMass(p, channel, 0, mass)
    active(p, mass).classScale(p, channel, 0, channelFactors(mass, chosen, channels), q)
  })
}

const drawChannels =
  (channels: number) =>
  (random: Random): Channels => ({ random, chosen: below(random, OWN, channels) })

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
