/** KGW (Kirchenbauer et al. 2023): a green set from the context gets delta added to its logits. Biased: a control. */
import { ngram } from '../core/keys/index.ts'
import { defineMethod, parameter } from '../core/method/index.ts'
import { greenTests } from './mechanisms/green.ts'
import { tilted } from './mechanisms/tilt.ts'
import { sbwCodes, textsealGreenCodes, vllmGreenCodes } from './published/codes/engine-green.ts'
import { kgwCodes } from './published/codes/kgw.ts'
import { withPublished } from './published/published.ts'

/**
 * KGW (Kirchenbauer et al., 2023): adds delta to the logits of green tokens. Biased: a control.
 * @example kgw({ delta: 2 }).unbiased // false
 */
export const kgw = withPublished(
  defineMethod('kgw', {
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
      context: parameter.context(() => ngram(2)),
    },
    shipped: [{ delta: 0.5 }, { delta: 1 }, { delta: 1.5 }, { delta: 2 }],
    make: ({ delta, gamma, detector }) => tilted(delta, gamma, detector),
  }),
  kgwCodes,
  vllmGreenCodes,
  sbwCodes,
  textsealGreenCodes,
)
