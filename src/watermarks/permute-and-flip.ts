/**
 * Permute-and-flip (Zhao et al. 2024, "Permute-and-Flip: an optimally stable and watermarkable decoder for LLMs"): the token with the largest ln p_i - ln r_i, r_i
 * uniform from the key, that is the least r_i / p_i. It is *another decoder*: over keys tokens do not come out with probability p_i, but as permute-and-flip
 * without a key gives them, (3/4, 1/4) for p = (2/3, 1/3). The declaration says so (`target`), and is tested against that law.
 */
import { exponential, sumDetector } from '../core/detect/index.ts'
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { type Exponentials, evidence, gumbelFast, winner } from './mechanisms/gumbel-max.ts'

/**
 * Permute-and-flip (Zhao et al., 2024): another decoder than sampling, with secret randomness.
 * @example permuteAndFlip().target // 'permute-and-flip': the decoder whose law it preserves
 */
export const permuteAndFlip = defineMethod('permuteAndFlip', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: (): MethodParts<Exponentials> => ({
    unbiased: true,
    target: 'permute-and-flip',
    draw: (random) => ({ at: (token) => random.uniform(token), random }),
    choose: winner,
    score: (token, uniforms) => evidence(uniforms.at(token)),
    fast: gumbelFast,
    detector: sumDetector({ nullLaw: exponential() }),
  }),
})
