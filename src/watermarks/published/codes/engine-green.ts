/** Green lists of KGW as inference engines and toolkits draw them: red-green and sbw of vLLM, and TextSeal. */

import { binomial, sumDetector } from '../../../core/detect/index.ts'
import { wordsBy } from '../../../core/keys/index.ts'
import { logBinomialTail, logNormalTail, logSumExp, smallest } from '../../../core/stats/index.ts'
import { integer } from '../../../input.ts'
import type { Detector, NullLaw, SeededCode } from '../../../watermark.ts'
import { allGreenSets, type GreenSet, type GreenTest, greenRate } from '../../mechanisms/green.ts'
import { textsealContexts, vllmContexts } from '../context.ts'
import { keyWords, PhiloxWords } from '../philox.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { sbwSeed, sbwWord } from '../sbw.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { TEXTSEAL_VALUES, TextsealHash } from '../textseal.ts'
import { bySeed } from './shared-seeds.ts'
import { overPairs, textsealEngine, textsealKey, textsealUniform } from './textseal.ts'
import { philoxEngine, VLLM_UNIFORMS, vllmKeyOf, vllmUniform } from './vllm.ts'

interface Values {
  readonly gamma: number
  readonly detector: GreenTest
}

/** Marks tokens as green or red in the form that KGW reads. */
const colours = (isGreen: (token: number) => boolean, gamma: number): GreenSet => {
  const { threshold } = greenRate(gamma)
  return { random: wordsBy((token) => (isGreen(token) ? 0 : threshold)), shift: 0 }
}

/** Counts the values 0 .. size - 1 whose uniform, which rises with them, lies below gamma in float32. */
function countBelow(gamma: number, size: number, uniform: (value: number) => number): number {
  const first = smallest((value) => !(uniform(value) < Math.fround(gamma)), -1, size)
  return integer('green uniforms of this gamma', first, 1, size - 1)
}

/** The count of green tokens; 'published' laws promise nothing. */
const greenSum = (nullLaw: NullLaw, guaranteed = true): Detector => ({
  ...sumDetector({ nullLaw, bound: 1 }),
  ...(!guaranteed && { guaranteed }),
})

/** The red-green watermark of vLLM: a token is green where its uniform lies below gamma. */
export const vllmGreenCodes = publishedCodes({
  codes: 'vllm',
  about:
    'the PRF `philox4x32-10-v1` of vLLM (`red_green`, with gamma 0.25 there), after four generated tokens; the key is a 64-bit integer.',
  parameters: {},
  implementations: { vllm: {} },
  context: () => vllmContexts(),
  ownTests: true,
  parts({ gamma, detector }: Values): PublishedParts<GreenSet> {
    const size = countBelow(gamma, VLLM_UNIFORMS, (mantissa) => vllmUniform(256 * mantissa))
    const rate = size / VLLM_UNIFORMS
    const secret = perKey((key) => keyWords(vllmKeyOf(key)))
    return {
      draw(_random, _vocabSize, { key, context }) {
        const words = new PhiloxWords(secret(key), context)
        return colours((token) => words.at(token) >>> 8 < size, gamma)
      },
      detector: detector === 'published' ? greenSum(binomial(gamma), false) : greenSum(binomial(rate)),
      fast: {
        words: {
          indices: [],
          engine: (key) => philoxEngine([secret(key)]),
          score: (word) => Number(word >>> 8 < size),
        },
      },
      enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
    }
  },
})

/** The normal law that published detectors take for a count of green tokens. */
const normalCount = (rate: number): NullLaw => ({
  name: `normalCount(${rate})`,
  exact: false,
  mean: rate,
  logTail: (sum, n) => logNormalTail((sum - rate * n) / Math.sqrt(n * rate * (1 - rate))),
})

/** The bits of a seed's high word that name it, with all of its low word: 53 bits in all. */
const NAMED = 0x1fffff
const WORDS = 2 ** 31

/** `sbw` of vLLM with `selfhash`: a candidate's seed is the smallest of its own hash and its products with the context's. */
export const sbwCodes = publishedCodes({
  codes: 'vllm-sbw',
  about: '`sbw` of vLLM with `selfhash`, after four generated tokens; the key is an integer below 2^63.',
  parameters: {},
  implementations: { 'vllm-sbw': {} },
  // the oldest token is not read
  context: () => ({ ...vllmContexts(), sharesCodes: true }),
  ownTests: true,
  parts({ gamma, detector }: Values): PublishedParts<GreenSet> {
    const size = integer('green words of this gamma', Math.floor(gamma * (WORDS - 1)), 1, WORDS - 1)
    const secret = perKey((key) => keyWords(secretIntegers(key, { name: 'sbw key', count: 1, bits: 63 })[0]!))
    return {
      draw(_random, _vocabSize, { key, context }): GreenSet & SeededCode {
        const seedOf = (token: number) => sbwSeed(secret(key), context, token)
        return {
          ...colours((token) => (sbwWord(seedOf(token), token) & (WORDS - 1)) < size, gamma),
          // before the text begins tokens hash to 0, and a seed of 0 is the same under every key
          seedOf(token) {
            const [low, high] = seedOf(token)
            return low === 0 && high === 0 ? undefined : (high & NAMED) * 2 ** 32 + low
          },
        }
      },
      detector:
        detector === 'published'
          ? greenSum(normalCount(gamma), false)
          : bySeed('once', greenSum({ ...binomial(size / WORDS), exact: false })),
      enumerate: undefined,
    }
  },
})

/** P(count > sum) + P(count = sum) / 2, as TextSeal computes it. */
const midBinomial = (rate: number): NullLaw => ({
  name: `midBinomial(${rate})`,
  exact: false,
  mean: rate,
  logTail: (sum, n) =>
    logSumExp([logBinomialTail(sum, n, rate), logBinomialTail(sum + 1, n, rate)]) - Math.LN2,
})

/** `greenlist` of TextSeal. */
export const textsealGreenCodes = publishedCodes({
  codes: 'textseal',
  about:
    'the hash of TextSeal (`greenlist`), after one token; the key is an integer. P-values are not guaranteed.',
  parameters: {},
  implementations: { textseal: {} },
  context: () => textsealContexts(),
  ownTests: true,
  parts({ gamma, detector }: Values): PublishedParts<GreenSet> {
    const size = countBelow(gamma, TEXTSEAL_VALUES, textsealUniform)
    return {
      draw(_random, _vocabSize, { key, context }) {
        const hash = new TextsealHash(textsealKey(key), context)
        return colours((token) => hash.at(token) < size, gamma)
      },
      detector: overPairs(
        greenSum(detector === 'published' ? midBinomial(gamma) : binomial(size / TEXTSEAL_VALUES)),
      ),
      fast: { words: { indices: [], engine: textsealEngine(0n), score: (hash) => Number(hash < size) } },
      enumerate: undefined,
    }
  },
})
