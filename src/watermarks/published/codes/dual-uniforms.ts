/** The two sets of uniforms of dual-key watermarks: the same draws under two keys. */
import { exponential, sumDetector } from '../../../core/detect/index.ts'
import { outOfRange } from '../../../input.ts'
import { matchedGamma, mixedExponentials } from '../../mechanisms/exponential-laws.ts'
import { type DualExponentials, gumbelOrbit, gumbelScore, winner } from '../../mechanisms/gumbel-max.ts'
import { sglangContexts, textsealContexts, vllmContexts } from '../context.ts'
import { keyWords, vllmSubkey } from '../philox.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey } from '../secret.ts'
import {
  sglangCoin,
  sglangDetector,
  sglangEngine,
  sglangExponentials,
  sglangKeyOf,
  sglangKeys,
  sglangScore,
} from './sglang.ts'
import {
  overPairs,
  textsealEngine,
  textsealExponentials,
  textsealHashScore,
  textsealKey,
  textsealScore,
} from './textseal.ts'
import { EXCESS, rounded, VllmExponentials } from './uniforms.ts'
import { philoxEngine, vllmKeyOf, vllmScore } from './vllm.ts'

/** The values of a dual-key method that codes read. */
interface Values {
  readonly alpha: number
  readonly weight?: number | undefined
  readonly detector: 'guaranteed' | 'published'
}

/** The dual-key Gumbel watermark of vLLM. */
export const vllmDualCodes = publishedCodes({
  codes: 'vllm',
  about:
    'the PRF `philox4x32-10-v1` of vLLM under two keys derived from one, after four generated tokens; the key is a 64-bit integer.',
  parameters: {},
  implementations: { vllm: {} },
  context: () => vllmContexts(),
  parts({ alpha, weight = alpha }: Values): PublishedParts<DualExponentials> {
    const words = perKey((key) => {
      const secret = vllmKeyOf(key)
      return (['key_a', 'key_b'] as const).map((name) => keyWords(vllmSubkey(secret, name)))
    })
    return {
      draw(_random, _vocabSize, { key, context }) {
        const [a, b] = words(key)
        return { a: new VllmExponentials(a!, context), b: new VllmExponentials(b!, context) }
      },
      // which of the two scores were rounded cannot be told from their sum
      detector: rounded(sumDetector({ nullLaw: mixedExponentials(weight) }), (score) =>
        Math.max(0, score - EXCESS),
      ),
      fast: {
        words: {
          indices: [],
          engine: (key) => philoxEngine(words(key)),
          score: (a, b) => (1 - weight) * vllmScore(a) + weight * vllmScore(b),
        },
      },
    }
  },
})

/** The dual-key watermark of SGLang: a keyed coin names the key of each context, so that a text tells it, and only that key is scored. */
export const sglangDualCodes = publishedCodes({
  codes: 'sglang',
  about:
    "MurmurHash3 as in SGLang, after four tokens, prompt included; the key is 'A,B', two keys of 1 to 16 hexadecimal digits. `mixing_probability` is 1 - alpha, 0.5 by default.",
  parameters: {},
  implementations: { sglang: {} },
  context: () => sglangContexts(),
  ownTests: true,
  parts({ alpha, weight, detector }: Values): PublishedParts<DualExponentials> {
    if (weight !== undefined)
      throw outOfRange('weight', "none with codes: 'sglang', where each position has one key", weight)
    const keysOf = perKey((key) => sglangKeys(key, 2))
    const limit = Math.floor((1 - alpha) * 2 ** 32)
    return {
      // both roles would have the key that the coin names
      speculative: undefined,
      keyOf: sglangKeyOf,
      fast: { words: { indices: [], engine: (key) => sglangEngine(keysOf(key), limit), score: sglangScore } },
      draw(_random, _vocabSize, { key, context }) {
        const keys = keysOf(key)
        const a = sglangExponentials(keys[sglangCoin(keys, context) < limit ? 0 : 1]!, context)
        return { a, b: a }
      },
      reweight(p, { a }, q) {
        q.fill(0)
        q[winner(p, a)] = 1
      },
      score: (token, { a }) => gumbelScore(token, a),
      detector:
        detector === 'published'
          ? { ...sumDetector({ nullLaw: exponential() }), guaranteed: false }
          : sglangDetector,
      orbit: ({ a }, p) =>
        gumbelOrbit(a, p).map(({ code, weight }) => ({ code: { a: code, b: code }, weight })),
    }
  },
})

/** Key B of TextSeal is larger than key A by this. */
const SECOND_KEY = 12345n

/** `textseal` of TextSeal; its own alpha is the share of key A. */
export const textsealDualCodes = publishedCodes({
  codes: 'textseal',
  about:
    'the hash of TextSeal (`textseal`), after one token; the key is an integer. Its alpha is 1 - alpha here, 0.5 by default. Biased, and p-values are not guaranteed.',
  parameters: {},
  implementations: { textseal: {} },
  context: () => textsealContexts(),
  ownTests: true,
  parts({ alpha, weight = alpha, detector }: Values): PublishedParts<DualExponentials> {
    const nullLaw = detector === 'published' ? matchedGamma(weight) : mixedExponentials(weight)
    return {
      unbiased: false,
      draw(_random, _vocabSize, { key, context }) {
        const secret = textsealKey(key)
        return {
          a: textsealExponentials(secret, context),
          b: textsealExponentials(secret + SECOND_KEY, context),
        }
      },
      score: (token, { a, b }) => (1 - weight) * textsealScore(token, a) + weight * textsealScore(token, b),
      detector: overPairs(sumDetector({ nullLaw })),
      fast: {
        words: {
          indices: [],
          engine: textsealEngine(0n, SECOND_KEY),
          score: (a, b) => (1 - weight) * textsealHashScore(a) + weight * textsealHashScore(b),
        },
      },
      orbit: undefined,
    }
  },
})
