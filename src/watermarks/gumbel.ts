/** Gumbel watermark (Aaronson 2022): the Gumbel-max trick with secret randomness from the context. */
import { exponential } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { ngram } from '../keys/ngram.ts'
import type { ContextRule } from '../keys/rule.ts'
import { defineMethod, type Method, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { gumbelScoreMean, gumbelScoreTail } from './gumbel-law.ts'
import { drawExponentials, type Exponentials, gumbelOrbit, gumbelScore, winner } from './gumbel-max.ts'

interface GumbelOptions {
  /** Where a position's randomness comes from: this package ('own'), or as published (joined in published-gumbel.ts). */
  readonly codes?: 'own' | 'vllm' | 'reference'
  /** Which published code, with `codes: 'reference'`. */
  readonly flavor?: 'unbiasedWatermark' | 'threeBricks' | 'markllm'
  /** Which positions are marked and scored, with `codes: 'reference'`. */
  readonly contexts?: 'once' | 'published' | 'pairs'
  readonly context?: ContextRule
}

/**
 * The Gumbel watermark (Aaronson, 2022): the Gumbel-max trick with secret randomness.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * detect(gumbel(), tokens, { key: 'secret', vocabSize: 50257 }).detected // false
 */
export const gumbel = defineMethod('gumbel', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: (): MethodParts<Exponentials> => ({
    unbiased: true,
    draw: drawExponentials,
    choose: winner,
    score: gumbelScore,
    detector: sumDetector({ nullLaw: exponential() }),
    orbit: gumbelOrbit,
    markedScore: { mean: gumbelScoreMean, tail: gumbelScoreTail },
  }),
}) as Method<GumbelOptions, Exponentials, 'gumbel'>
