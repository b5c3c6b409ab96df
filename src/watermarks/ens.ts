/**
 * ENS (Wu et al. 2025): several unbiased marks in sequence, each with randomness of its own: q = F(... F(F(p, k_1), k_2) ..., k_n). Given the others, the mean over one mark's
 * randomness is what it was given, so the mean over all is p. A token's score is the sum of its scores under each; under the null they are independent. The mark here is
 * permute-reweight, DiPmark with `alpha` or gamma-reweight at 1/2; or, with `channels`, MCmark.
 */
import { binomial, sumDetector } from '../core/detect/index.ts'
import { scratchMarked } from '../core/kernels/index.ts'
import type { Words } from '../core/keys/index.ts'
import { ngram, type Random, STRIDE, wordsBy, wordsFrom } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { outOfRange } from '../input.ts'
import { type Channels, channelReweight, channelScore, drawChannels } from './mechanisms/channels.ts'
import { type Order, permuteReweight, upperHalf } from './mechanisms/permute.ts'

/** One mark: its reweight, the score of a token, its randomness and what the key could as well have drawn, whose mean is what it was given. */
interface Mark<Code> {
  draw(random: Random, k: number): Code
  reweight(p: Float64Array, code: Code, q: Float64Array): void
  score(token: number, code: Code): number
  readonly rate: number
  readonly members: number
  member(code: Code, i: number): Code
}

/** Above this there are too many members of an orbit to list. */
const MAX_MEMBERS = 2 ** 10

/** Words of one position, far from those of other marks. */
const orders = (alpha: number): Mark<Order> => ({
  draw: (random, k) => ({ random: k === 0 ? random : wordsFrom(random, k), flip: 0 }),
  reweight: (p, order, q) => permuteReweight(p, order, alpha, q),
  score: upperHalf,
  rate: 1 / 2,
  members: 2,
  // the order or its reverse
  member: (order, i) => ({ ...order, flip: i === 0 ? order.flip : order.flip === 0 ? -1 : 0 }),
})

/** The k-th of `sets` sets of words. A word past the last full multiple is thrown away and the next one read: it too must be of this set. */
const wordsOfSet = (random: Random, k: number, sets: number): Words => ({
  ...wordsBy((i) => random.uint32((i % STRIDE) + STRIDE * (k + sets * Math.floor(i / STRIDE)))),
  fill: (out) => wordsFrom(random, k).fill(out),
})

const channelsOf = (channels: number, marks: number): Mark<Channels> => ({
  draw: (random, k) => drawChannels(channels)(wordsOfSet(random, k, marks)),
  reweight: (p, code, q) => channelReweight(p, code, channels, q),
  score: channelScore(channels),
  rate: 1 / channels,
  members: channels,
  member: (code, chosen) => ({ ...code, chosen }),
})

/** The declaration of n marks of one kind. */
function inSequence<Code>(mark: Mark<Code>, marks: number): MethodParts<readonly Code[]> {
  const members = mark.members ** marks
  return {
    unbiased: true,
    draw(random) {
      const codes: Code[] = []
      for (let k = 0; k < marks; k++) codes.push(mark.draw(random, k))
      return codes
    },
    reweight(p, codes, q) {
      // two arrays in turn, so that the last mark writes to q
      const other = scratchMarked(p.length)
      let from = p
      for (let k = 0; k < marks; k++) {
        const to = (marks - 1 - k) % 2 === 0 ? q : other
        mark.reweight(from, codes[k]!, to)
        from = to
      }
    },
    score: (token, codes) => codes.reduce((sum, code) => sum + mark.score(token, code), 0),
    detector: sumDetector({ nullLaw: binomial(mark.rate, { trials: marks }), bound: marks }),
    ...(members <= MAX_MEMBERS && {
      orbit: (codes: readonly Code[]) =>
        Array.from({ length: members }, (_, number) =>
          codes.map((code, k) => mark.member(code, Math.floor(number / mark.members ** k) % mark.members)),
        ),
    }),
  }
}

/**
 * ENS (Wu et al., 2025): several marks by secret orders or channels in sequence, which together need fewer tokens.
 * @example ens({ marks: 5 }).id // 'ens(marks=5)'
 */
export const ens = defineMethod('ens', {
  parameters: {
    /** Marks in sequence. */
    marks: parameter.integer(1, 64, { example: 5, shapesCode: true }),
    /** The share of mass that each mark by an order moves: 1/2 is gamma-reweight. */
    alpha: parameter.number(0, 0.5, { default: 1 / 2 }),
    /** The number of channels, as in MCmark: marks are by channels instead of orders. */
    channels: parameter.integer(2, 65_536, { default: undefined }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  small: { marks: 2 },
  make({ marks, alpha, channels, context }, options): MethodParts<readonly (Order | Channels)[]> {
    if (channels === undefined)
      return inSequence<Order>(orders(alpha), marks) as MethodParts<readonly (Order | Channels)[]>
    if (options.alpha !== undefined)
      throw outOfRange('alpha', 'none with channels, which move what they must', alpha)
    const parts = inSequence<Channels>(channelsOf(channels, marks), marks)
    return {
      ...(parts as MethodParts<readonly (Order | Channels)[]>),
      domain: `ens(marks=${marks},channels=${channels})/${context.id}`,
    }
  },
})
