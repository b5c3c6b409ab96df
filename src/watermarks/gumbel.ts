/** Gumbel watermark (Aaronson 2022): the Gumbel-max trick with secret randomness from the context. */
import { exponential } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import type { ContextRule } from '../keys/rule.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { drawExponentials, type Exponentials, gumbelOrbit, gumbelScore, winner } from './gumbel-max.ts'
import { domainOf, idOf, usual } from './name.ts'

export interface GumbelOptions {
  readonly context?: ContextRule
}

/**
 * @example
 * detect(gumbel(), tokens, { key: 'secret', vocabSize: 50257 }).pValue
 */
export function gumbel(options: GumbelOptions = {}): Watermark<Exponentials> {
  const context = options.context ?? usual()
  return defineWatermark<Exponentials>({
    id: idOf('gumbel', [['context', context.id, usual().id]]),
    domain: domainOf('gumbel', context),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: drawExponentials,
    choose: winner,
    score: gumbelScore,
    detector: sumDetector({ nullLaw: exponential() }),
    orbit: gumbelOrbit,
  })
}
