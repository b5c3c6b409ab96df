/**
 * The Gumbel watermark with two keys, as vLLM ships it: at each token a coin that nobody keeps says which of two independent
 * Gumbel-max races decides, key B's with probability alpha. Over the coin
 *
 *   q = (1 - alpha) delta(winner under A) + alpha delta(winner under B),
 *
 * so that one prompt asked again has more than one answer. A token's score is (1 - weight) s_A + weight s_B, s = -ln(1 - u) under each
 * key; without the mark a weighted sum of two independent exponentials, whose sums over tokens have an exact tail.
 */
import { sumDetector } from '../detect/sum-detector.ts'
import { ngram } from '../keys/ngram.ts'
import { MAX_VOCAB, type Random } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import type { Weighted } from '../watermark.ts'
import { twoExponentials } from './dual-key-law.ts'
import { drawExponentials, type Exponentials, gumbelOrbit, gumbelScore, winner } from './gumbel-max.ts'

/** The exponentials of both keys. */
export interface DualExponentials {
  readonly a: Exponentials
  readonly b: Exponentials
}

/** Where the words of key B begin: no token of key A has one there. */
const SECOND = 2 * MAX_VOCAB

/** Words of their own for the second key. */
class Second implements Random {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  uint32(i: number): number {
    return this.#random.uint32(i + SECOND)
  }

  uniform(i: number): number {
    return this.#random.uniform(i + SECOND)
  }

  fill(out: Uint32Array): Uint32Array {
    for (let i = 0; i < out.length; i++) out[i] = this.uint32(i)
    return out
  }
}

/** Every pair of a member of A's orbit and one of B's: the two are independent. */
function* dualOrbit({ a, b }: DualExponentials, p: Float64Array): Generator<Weighted<DualExponentials>> {
  const [firsts, seconds] = [gumbelOrbit(a, p), gumbelOrbit(b, p)]
  for (const first of firsts)
    for (const second of seconds)
      yield { weight: first.weight * second.weight, code: { a: first.code, b: second.code } }
}

/**
 * The Gumbel watermark with two keys (vLLM, 2026): key B decides a token with probability alpha, so that answers vary.
 * @example dualKeyGumbel({ alpha: 0.25 }).id // 'dualKeyGumbel(alpha=0.25)'
 */
export const dualKeyGumbel = defineMethod('dualKeyGumbel', {
  parameters: {
    /** The probability that key B decides a token. */
    alpha: parameter.number(0, 1, { default: 0.1 }),
    /** The share of key B in a token's score. */
    weight: parameter.number(0.01, 0.99, { default: 0.2 }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: ({ alpha, weight }): MethodParts<DualExponentials> => ({
    unbiased: true,
    draw: (random) => ({ a: drawExponentials(random), b: drawExponentials(new Second(random)) }),
    reweight(p, { a, b }, q) {
      q.fill(0)
      q[winner(p, a)]! += 1 - alpha
      q[winner(p, b)]! += alpha
    },
    score: (token, { a, b }) => (1 - weight) * gumbelScore(token, a) + weight * gumbelScore(token, b),
    detector: sumDetector({ nullLaw: twoExponentials(1 - weight, weight) }),
    orbit: dualOrbit,
  }),
})
