/** Uniforms of Gumbel-max as inference engines and toolkits draw them: vLLM with HMAC, SGLang and TextSeal. */

import { exponential, sumDetector } from '../../../core/detect/index.ts'
import { integer } from '../../../input.ts'
import type { Exponentials } from '../../mechanisms/gumbel-max.ts'
import { sglangContexts, textsealContexts, vllmContexts } from '../context.ts'
import { HmacWords, hmacKey } from '../hmac-words.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import {
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
import { leastScore, rounded } from './uniforms.ts'
import { vllmUniform } from './vllm.ts'

const HMAC_KEY = { name: '256-bit key', count: 1, bits: 256, bytes: 32 } as const
/** vLLM refuses longer contexts with HMAC. */
const MAX_HMAC_WIDTH = 16

/** Gumbel-max on the PRF `hmac_sha256` of early builds of vLLM. */
export const vllmHmacCodes = publishedCodes({
  codes: 'vllm-hmac',
  about:
    'the PRF `hmac_sha256` of early builds of vLLM, after four generated tokens, at most 16; the key is a 256-bit integer.',
  parameters: {},
  implementations: { 'vllm-hmac': {} },
  context: () => vllmContexts(),
  parts(): PublishedParts<Exponentials> {
    const keyOf = perKey((key) => hmacKey(secretIntegers(key, HMAC_KEY)[0]!))
    return {
      draw(_random, _vocabSize, { key, context }) {
        integer('context width', context.length, 1, MAX_HMAC_WIDTH)
        const words = new HmacWords(keyOf(key), context)
        return { at: (token) => -Math.log(vllmUniform(words.at(token))) }
      },
      detector: rounded(sumDetector({ nullLaw: exponential() }), leastScore),
    }
  },
})

/** The Gumbel watermark of SGLang. */
export const sglangCodes = publishedCodes({
  codes: 'sglang',
  about:
    'MurmurHash3 as in SGLang, after four tokens, prompt included; the key has 1 to 16 hexadecimal digits.',
  parameters: {},
  implementations: { sglang: {} },
  context: () => sglangContexts(),
  parts(): PublishedParts<Exponentials> {
    const keyOf = perKey((key) => sglangKeys(key, 1)[0]!)
    return {
      draw: (_random, _vocabSize, { key, context }) => sglangExponentials(keyOf(key), context),
      detector: sglangDetector,
      keyOf: sglangKeyOf,
      fast: { words: { indices: [], engine: (key) => sglangEngine([keyOf(key)]), score: sglangScore } },
    }
  },
})

/** `gumbelmax` of TextSeal. With 8,191 uniforms, tokens in long tails lose their races too often: biased. */
export const textsealCodes = publishedCodes({
  codes: 'textseal',
  about:
    'the hash of TextSeal (`gumbelmax`), after one token; the key is an integer. Biased, and p-values are not guaranteed.',
  parameters: {},
  implementations: { textseal: {} },
  context: () => textsealContexts(),
  parts: (): PublishedParts<Exponentials> => ({
    unbiased: false,
    draw: (_random, _vocabSize, { key, context }) => textsealExponentials(textsealKey(key), context),
    score: textsealScore,
    detector: overPairs(sumDetector({ nullLaw: exponential() })),
    fast: { words: { indices: [], engine: textsealEngine(0n), score: textsealHashScore } },
    orbit: undefined,
  }),
})
