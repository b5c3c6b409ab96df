/** Uniforms as vLLM draws them: 24 bits of Philox per token, in (0, 1). */

import { exponential, sumDetector } from '../../../core/detect/index.ts'
import type { Detector } from '../../../watermark.ts'
import type { Exponentials } from '../../mechanisms/gumbel-max.ts'
import { vllmContexts } from '../context.ts'
import { type KeyWords, keyWords, PhiloxWords } from '../philox.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey } from '../secret.ts'
import { VLLM_UNIFORMS as M, philoxEngine, vllmKeyOf, vllmScore, vllmUniform } from './vllm.ts'

/** A class because one is made per token of a text. */
export class VllmExponentials implements Exponentials {
  readonly #words: PhiloxWords

  constructor(key: KeyWords, context: readonly number[]) {
    this.#words = new PhiloxWords(key, context)
  }

  at(token: number): number {
    return -Math.log(vllmUniform(this.#words.at(token)))
  }
}

/**
 * By how much the score -ln(1 - u) may exceed -ln(j / M), j = M + 1 - k, which is uniform on M places and so below an exponential:
 * rounding never raises u (k / (M + 1) lies below k / M by more than half of a float32's spacing there), hence 1 - u >= j / (M + 1),
 * and ln((M + 1) / M) < 1 / M. From u = 1/2 on 1 - u is j / M exactly.
 */
export const EXCESS = 1 / M

/** The score without what 24 bits may add to it. */
export const leastScore = (score: number): number => (score < Math.LN2 ? Math.max(0, score - EXCESS) : score)

/**
 * A detector whose statistic is the published one, and whose p-value is that of the scores `least(score)`: the published ones
 * have 24 bits, and P(score >= s) may exceed the tail of the law by that much. So it is a bound: at 100,000 scores it lies 4e-5 of itself above.
 */
export function rounded(detector: Detector, least: (score: number) => number): Detector {
  const test: Detector['test'] = (evidence) => {
    const published = evidence.scoreEach()
    const outcome = detector.test({ ...evidence, scoreEach: () => published.map(least) })
    const perToken = outcome.perToken.map((score, t) => (Number.isNaN(score) ? score : published[t]!))
    const statistic = perToken.reduce((sum, score) => (Number.isNaN(score) ? sum : sum + score), 0)
    return { ...outcome, exact: false, statistic, perToken }
  }
  return { ...detector, ...(detector.fast && { fast: { sum: detector.fast.sum, of: test, least } }), test }
}

/** The Gumbel watermark of vLLM. */
export const vllmCodes = publishedCodes({
  codes: 'vllm',
  about: 'the PRF `philox4x32-10-v1` of vLLM, after four generated tokens; the key is a 64-bit integer.',
  parameters: {},
  implementations: { vllm: {} },
  context: () => vllmContexts(),
  parts(): PublishedParts<Exponentials> {
    const words = perKey((key) => keyWords(vllmKeyOf(key)))
    return {
      draw: (_random, _vocabSize, { key, context }) => new VllmExponentials(words(key), context),
      detector: rounded(sumDetector({ nullLaw: exponential() }), leastScore),
      fast: { words: { indices: [], engine: (key) => philoxEngine([words(key)]), score: vllmScore } },
    }
  },
})
