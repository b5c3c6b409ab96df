/**
 * ENS (Wu et al. 2025): several unbiased marks in sequence, each with randomness of its own: q = F(... F(F(p, k_1), k_2) ..., k_n). Given the others, the mean over one mark's
 * randomness is what it was given, so the mean over all is p. A token's score is the sum of its scores under each; under the null they are independent. The mark here is
 * permute-reweight, DiPmark with `alpha` or gamma-reweight at 1/2; or, with `channels`, MCmark.
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { outOfRange } from '../input.ts'
import { ngram } from '../keys/ngram.ts'
import { below, OWN, type Random, wordsFrom } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { type Channels, channelReweight, drawChannels } from './channels.ts'
import { type Order, permuteReweight, upperHalf } from './permute.ts'

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

/** How far apart the words of one token are that `below` reads in turn. */
const STRIDE = 2 * OWN

/** The k-th of `sets` sets of words. A word past the last full multiple is thrown away and the next one read: it too must be of this set. */
function wordsOfSet(random: Random, k: number, sets: number): Pick<Random, 'uint32' | 'fill'> {
  const at = (i: number): number => (i % STRIDE) + STRIDE * (k + sets * Math.floor(i / STRIDE))
  return {
    uint32: (i) => random.uint32(at(i)),
    fill(out) {
      for (let token = 0; token < out.length; token++) out[token] = random.uint32(at(token))
      return out
    },
  }
}

const channelsOf = (channels: number, marks: number): Mark<Channels> => ({
  draw: (random, k) => drawChannels(channels)(wordsOfSet(random, k, marks)),
  reweight: (p, code, q) => channelReweight(p, code, channels, q),
  score: (token, { random, chosen }) => (below(random, token, channels) === chosen ? 1 : 0),
  rate: 1 / channels,
  members: channels,
  member: (code, chosen) => ({ ...code, chosen }),
})

/** The declaration of n marks of one kind. */
function inSequence<Code>(mark: Mark<Code>, marks: number): MethodParts<readonly Code[]> {
  const members = mark.members ** marks
  return {
    unbiased: true,
    draw: (random) => Array.from({ length: marks }, (_, k) => mark.draw(random, k)),
    reweight(p, codes, q) {
      for (const [k, code] of codes.entries()) mark.reweight(k === 0 ? p : Float64Array.from(q), code, q)
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
    /** Marks by so many channels instead, as those of MCmark. */
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
