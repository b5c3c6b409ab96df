/** KGW (Kirchenbauer et al. 2023): a green set from the context gets delta added to its logits. Biased: a control. */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import type { ContextRule } from '../keys/rule.ts'
import { kgwCodes, leftHashRule } from '../reference/codes/green.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { allGreenSets, drawGreen, type GreenSet, greenRate, isGreen } from './green.ts'
import { type Codes, checkCodes, domainOf, idOf, usual } from './name.ts'
import { checkDelta, tiltReweight } from './tilt.ts'

export interface KgwOptions {
  /** Added to the logits of green tokens. */
  readonly delta: number
  /** Rate of green tokens. Default 1/2. */
  readonly gamma?: number
  readonly context?: ContextRule
  /** 'reference': the left hash of Hugging Face Transformers, after one token; the key is the hashing key. */
  readonly codes?: Codes
}

/**
 * KGW (Kirchenbauer et al., 2023): adds delta to the logits of green tokens. Biased: a control.
 * @example kgw({ delta: 2 }).unbiased // false
 */
export function kgw(options: KgwOptions): Watermark<GreenSet> {
  const delta = checkDelta(options?.delta)
  const gamma = options.gamma ?? 1 / 2
  const { threshold, rate } = greenRate(gamma)
  const codes = checkCodes(options.codes)
  const standard = codes === 'reference' ? leftHashRule() : usual()
  const context = codes === 'reference' ? leftHashRule(options.context) : (options.context ?? standard)
  return defineWatermark<GreenSet>({
    id: idOf('kgw', [
      ['delta', delta],
      ['gamma', gamma, 1 / 2],
      ['codes', codes, 'own'],
      ['context', context.id, standard.id],
    ]),
    domain: domainOf('kgw', context, [
      ['gamma', gamma],
      ['codes', codes, 'own'],
    ]),
    unbiased: false,
    context,
    draw: drawGreen,
    reweight: (p, green, q) => tiltReweight(p, green, threshold, delta, q),
    score: (token, green) => (isGreen(token, green, threshold) ? 1 : 0),
    detector: sumDetector({ nullLaw: binomial(rate), bound: 1 }),
    enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
    ...(codes === 'reference' && kgwCodes(gamma, threshold)),
  })
}
