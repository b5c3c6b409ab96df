/**
 * Parts that all methods of TextSeal share: keys, uniforms, and the positions that count. Its hash is linear in key, context and token, so
 * scores of different positions are correlated under every key. No law of their sum is known: its p-values are not guaranteed.
 */

import type { EngineWords } from '../../../core/keys/index.ts'
import type { Detector } from '../../../watermark.ts'
import type { Exponentials } from '../../mechanisms/gumbel-max.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { TEXTSEAL_VALUES, TextsealHash, textsealWords } from '../textseal.ts'
import { counting } from './shared-seeds.ts'

/** Reads the key: 62 bits, so that key B, which is larger by 12345, has 63. */
export const textsealKey = perKey(
  (key) => secretIntegers(key, { name: 'TextSeal key', count: 1, bits: 62 })[0]!,
)

/** Takes the place of zero where TextSeal takes logarithms. */
const TINY = 1e-30

/** Returns h / 8191 in float32. */
export const textsealUniform = (hash: number): number => Math.fround(hash / TEXTSEAL_VALUES)

/** Returns -ln u of the tokens after a context. */
export function textsealExponentials(key: bigint, context: ArrayLike<number>): Exponentials {
  const hash = new TextsealHash(key, context)
  return { at: (token) => exponentialOf(hash.at(token)) }
}

/** Returns the score -ln(1 - u), in float32 as TextSeal computes it. */
export const textsealScore = (token: number, exponentials: Exponentials): number =>
  scoreOf(exponentials.at(token))

const exponentialOf = (hash: number): number => -Math.log(textsealUniform(hash) + TINY)

const scoreOf = (exponential: number): number =>
  Math.abs(Math.fround(Math.log(Math.fround(1 - Math.fround(Math.exp(-exponential))))))

let scores: Float64Array | undefined

/** Returns the score of a token by its hash. */
export function textsealHashScore(hash: number): number {
  scores ??= Float64Array.from({ length: TEXTSEAL_VALUES }, (_, value) => scoreOf(exponentialOf(value)))
  return scores[hash]!
}

/** Returns the hashes of tokens under keys that are larger than the key by these numbers. */
export const textsealEngine = (...added: bigint[]) =>
  perKey((key): EngineWords => {
    const secret = textsealKey(key)
    return { kernel: 'textsealWords', keys: added.map((more) => textsealWords(secret + more)) }
  })

/** Scores each pair of context and token once (`v2`), as if pairs were independent; promises nothing. */
export function overPairs(detector: Detector): Detector {
  const pairs = counting('pairs', {
    ...detector,
    guaranteed: false,
    test: (evidence) => detector.test({ ...evidence, rule: { ...evidence.rule, recurs: false } }),
  })
  const { sum } = detector.fast!
  return { ...pairs, fast: { sum, of: pairs.test, pairs: true } }
}
