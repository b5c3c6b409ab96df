/**
 * The Gumbel watermark with two keys, as vLLM ships it: at each token a coin that nobody keeps says which of two independent
 * Gumbel-max races decides, key B's with probability alpha. Over the coin
 *
 *   q = (1 - alpha) delta(winner under A) + alpha delta(winner under B),
 *
 * so that one prompt asked again has more than one answer. A token's score is (1 - weight) s_A + weight s_B, s = -ln(1 - u) under each
 * key; without the mark a weighted sum of two independent exponentials, whose sums over tokens have an exact tail. The weight is alpha
 * unless another one is given, as in vLLM.
 *
 * Speculative decoding, also as in vLLM (SynthID's supplementary algorithm 6): drafts are drawn under key A, accepted as without a
 * watermark, with randomness that no key knows, and tokens that replace a draft or follow the last one are drawn under key B.
 */
import { sumDetector } from '../core/detect/index.ts'
import { Expansion, MAX_VOCAB, ngram, type Random, shifted } from '../core/keys/index.ts'
import { defineMethod, type MethodParameter, type MethodParts, parameter } from '../core/method/index.ts'
import type { Speculation, Weighted } from '../watermark.ts'
import { matchedGamma, mixedExponentials } from './mechanisms/exponential-laws.ts'
import {
  type DualExponentials,
  drawExponentials,
  gumbelOrbit,
  gumbelScore,
  winner,
} from './mechanisms/gumbel-max.ts'
import { sglangDualCodes, textsealDualCodes, vllmDualCodes } from './published/codes/dual-uniforms.ts'
import { withPublished } from './published/published.ts'

/** The first word of key B: no token of key A has one there. */
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

/** Returns the words of the second key; those of a key schedule are filled by a kernel. */
const second = (random: Random): Random =>
  random instanceof Expansion ? shifted(random, SECOND) : new Second(random)

/** Every pair of a member of A's orbit and one of B's: the two are independent. */
function* dualOrbit({ a, b }: DualExponentials, p: Float64Array): Generator<Weighted<DualExponentials>> {
  const [firsts, seconds] = [gumbelOrbit(a, p), gumbelOrbit(b, p)]
  for (const first of firsts)
    for (const second of seconds)
      yield { weight: first.weight * second.weight, code: { a: first.code, b: second.code } }
}

/** The mass that the target has and the draft lacks: the law of a token that replaces a rejected draft. */
function residual(p: Float64Array, d: Float64Array): Float64Array {
  const rest = p.map((mass, i) => Math.max(0, mass - d[i]!))
  return rest.some((mass) => mass > 0) ? rest : p
}

const twoRoles: Speculation<DualExponentials> = {
  draft: (d, { a }) => winner(d, a),
  accept: (p, d, token, _code, own) => own() * d[token]! < p[token]!,
  recover: (p, d, { b }) => winner(residual(p, d), b),
  bonus: (p, { b }) => winner(p, b),
}

/**
 * The Gumbel watermark with two keys (vLLM, 2026): key B decides a token with probability alpha, so that answers vary.
 * @example dualKeyGumbel({ alpha: 0.25 }).id // 'dualKeyGumbel(alpha=0.25)'
 */
export const dualKeyGumbel = withPublished(
  defineMethod('dualKeyGumbel', {
    parameters: {
      /** The probability that key B decides a token. Default 0.1; 0.5 with the codes of SGLang and TextSeal. */
      alpha: {
        ...parameter.number(0, 1, { default: 0.1 }),
        usual: ({ codes }) => (codes === 'sglang' || codes === 'textseal' ? 0.5 : 0.1),
      } as MethodParameter<number, true>,
      /** The share of key B in a token's score. Default: alpha, as in vLLM. */
      weight: parameter.number(0, 1, { default: undefined }),
      /**
       * 'guaranteed': the exact tail of the weighted sum. 'published': the Gamma law with the same mean and variance, as vLLM and
       * TextSeal take it; its p-values are too small, unless the weight is 0, 1/2 or 1.
       */
      detector: parameter.oneOf(['guaranteed', 'published']),
      context: parameter.context(() => ngram(2)),
    },
    rows: [], // not in the paper
    make: ({ alpha, weight = alpha, detector }): MethodParts<DualExponentials> => ({
      unbiased: true,
      draw: (random) => ({ a: drawExponentials(random), b: drawExponentials(second(random)) }),
      reweight(p, { a, b }, q) {
        q.fill(0)
        q[winner(p, a)]! += 1 - alpha
        q[winner(p, b)]! += alpha
      },
      score: (token, { a, b }) => (1 - weight) * gumbelScore(token, a) + weight * gumbelScore(token, b),
      detector:
        detector === 'published'
          ? { ...sumDetector({ nullLaw: matchedGamma(weight) }), guaranteed: false }
          : sumDetector({ nullLaw: mixedExponentials(weight) }),
      orbit: dualOrbit,
      speculative: twoRoles,
    }),
  }),
  vllmDualCodes,
  sglangDualCodes,
  textsealDualCodes,
)
