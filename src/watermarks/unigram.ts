/**
 * Unigram (Zhao et al. 2023): one green set for all positions gets delta added to its logits. Biased: a control. Tokens repeat and
 * share their colour, so the null law is that of `sum over types of count * Bernoulli(gamma)`: the sum detector counts types.
 */
import { fixed } from '../keys/fixed.ts'
import { defineMethod } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { greenTests } from './green.ts'
import { tilted } from './tilt.ts'

/**
 * Unigram (Zhao et al., 2023): KGW with one green set for all positions. Biased: a control.
 * @example unigram({ delta: 2 }).context.id // 'fixed()'
 */
export const unigram = defineMethod('unigram', {
  parameters: {
    /** Added to the logits of green tokens. */
    delta: parameter.number(0, 100, { example: 2 }),
    /** Rate of green tokens. */
    gamma: parameter.number(0, 1, { open: true, default: 1 / 2, shapesCode: true, shown: false }),
    /**
     * 'guaranteed': the exact tail over what is independent. 'published': the z-test of the published code, which counts every
     * token as an independent trial; its p-values are too small.
     */
    detector: parameter.oneOf(greenTests),
    context: parameter.context(() => fixed()),
  },
  shipped: [{ delta: 0.5 }, { delta: 1 }, { delta: 1.5 }, { delta: 2 }],
  make: ({ delta, gamma, detector }) => tilted(delta, gamma, detector),
})
