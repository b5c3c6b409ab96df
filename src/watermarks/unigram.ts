/**
 * Unigram (Zhao et al. 2023): one green set for all positions gets delta added to its logits. Biased: a control. Tokens repeat and
 * share their colour, so the null law is that of `sum over types of count * Bernoulli(gamma)`: the sum detector counts types.
 */
import { pairDetector } from '../core/detect/index.ts'
import { fixed } from '../core/keys/index.ts'
import { defineMethod, parameter } from '../core/method/index.ts'
import { greenTests } from './mechanisms/green.ts'
import { tilted } from './mechanisms/tilt.ts'
import { maskCodes } from './published/codes/mask.ts'
import { withPublished } from './published/published.ts'

/** 16 times the square root, rounded: whole, so that the tail is exact, and close to the root even for small counts. */
const rootWeight = (count: number): number => Math.round(16 * Math.sqrt(count))

/**
 * Unigram (Zhao et al., 2023): KGW with one green set for all positions. Biased: a control.
 * @example unigram({ delta: 2 }).context.id // 'fixed()'
 */
export const unigram = withPublished(
  defineMethod('unigram', {
    parameters: {
      /** Added to the logits of green tokens. */
      delta: parameter.number(0, 100, { example: 2 }),
      /** Rate of green tokens. */
      gamma: parameter.number(0, 1, { open: true, default: 1 / 2, shapesCode: true, shown: false }),
      /**
       * 'guaranteed': the exact tail over what is independent. 'published': the z-test of the published code, which counts every
       * token as an independent trial; its p-values are too small. 'root': an exact tail again, with each token type weighed by the
       * square root of its count; it needs fewer tokens where few words make up most of the text. All read the same text.
       */
      detector: parameter.oneOf([...greenTests, 'root']),
      context: parameter.context(() => fixed()),
    },
    shipped: [{ delta: 0.5 }, { delta: 1 }, { delta: 1.5 }, { delta: 2 }],
    make({ delta, gamma, detector }) {
      if (detector !== 'root') return tilted(delta, gamma, detector)
      const parts = tilted(delta, gamma, 'guaranteed')
      const { nullLaw } = parts.detector!
      return { ...parts, detector: pairDetector({ nullLaw: nullLaw!, weight: rootWeight }) }
    },
  }),
  maskCodes,
)
