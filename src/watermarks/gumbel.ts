/** Gumbel watermark (Aaronson 2022): the Gumbel-max trick with secret randomness from the context. */
import { exponential, sumDetector } from '../core/detect/index.ts'
import type { ContextRule } from '../core/keys/index.ts'
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type Method, type MethodParts, parameter } from '../core/method/index.ts'
import { gumbelScoreMean, gumbelScoreTail } from './mechanisms/gumbel-law.ts'
import { type Exponentials, gumbelMax } from './mechanisms/gumbel-max.ts'

interface GumbelOptions {
  /** The source of a position's randomness: this package ('own'), or as published (joined in as-published.ts). */
  readonly codes?: 'own' | 'vllm' | 'vllm-hmac' | 'sglang' | 'textseal' | 'reference'
  /** The published code, with `codes: 'reference'`. */
  readonly flavor?: 'unbiasedWatermark' | 'threeBricks' | 'markllm'
  /** The positions that are marked and scored, with `codes: 'reference'`. */
  readonly contexts?: 'once' | 'published' | 'pairs'
  readonly context?: ContextRule
}

/**
 * The Gumbel watermark (Aaronson, 2022): the Gumbel-max trick with secret randomness.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * detect(gumbel(), tokens, { key: 'a long secret key', vocabSize: 50257 }).detected // false
 */
export const gumbel = defineMethod('gumbel', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: (): MethodParts<Exponentials> => ({
    ...gumbelMax,
    detector: sumDetector({ nullLaw: exponential() }),
    markedScore: { mean: gumbelScoreMean, tail: gumbelScoreTail },
  }),
}) as Method<GumbelOptions, Exponentials, 'gumbel'>
