/**
 * Unigram (Zhao et al. 2023): one green set for all positions gets delta added to its logits. Biased: a control. Tokens repeat and
 * share their colour, so the null law is that of `sum over types of count * Bernoulli(gamma)`: the sum detector counts types.
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { fixed } from '../keys/fixed.ts'
import type { ContextRule } from '../keys/rule.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { allGreenSets, drawGreen, type GreenSet, greenRate, isGreen } from './green.ts'
import { domainOf, idOf } from './name.ts'
import { checkDelta, tiltReweight } from './tilt.ts'

export interface UnigramOptions {
  /** Added to the logits of green tokens. */
  readonly delta: number
  /** Rate of green tokens. Default 1/2. */
  readonly gamma?: number
  readonly context?: ContextRule
}

/**
 * Unigram (Zhao et al., 2023): KGW with one green set for all positions. Biased: a control.
 * @example unigram({ delta: 2 }).context.id // 'fixed()'
 */
export function unigram(options: UnigramOptions): Watermark<GreenSet> {
  const delta = checkDelta(options?.delta)
  const gamma = options.gamma ?? 1 / 2
  const { threshold, rate } = greenRate(gamma)
  const context = options.context ?? fixed()
  return defineWatermark<GreenSet>({
    id: idOf('unigram', [
      ['delta', delta],
      ['gamma', gamma, 1 / 2],
      ['context', context.id, fixed().id],
    ]),
    domain: domainOf('unigram', context, [['gamma', gamma]]),
    unbiased: false,
    context,
    draw: drawGreen,
    reweight: (p, green, q) => tiltReweight(p, green, threshold, delta, q),
    score: (token, green) => (isGreen(token, green, threshold) ? 1 : 0),
    detector: sumDetector({ nullLaw: binomial(rate), bound: 1 }),
    enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
  })
}
