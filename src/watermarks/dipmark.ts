/** DiPmark (Wu et al. 2024): permute-reweight with a strength. alpha = 1/2 is gamma-reweight. */
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { orderDetection, orderDetector } from './mechanisms/order-detection.ts'
import { drawOrder, type Order, orderOrbit, permuteReweight } from './mechanisms/permute.ts'
import { orderCodes } from './published/codes/order.ts'
import { withPublished } from './published/published.ts'

/**
 * DiPmark (Wu et al., 2024): permute-reweight with a strength; `alpha` 1/2 is gamma-reweight.
 * @example dipmark({ alpha: 0.4 }).id // 'dipmark(alpha=0.4)'
 */
export const dipmark = withPublished(
  defineMethod('dipmark', {
    parameters: {
      /** The share of mass that is moved. */
      alpha: parameter.number(0, 0.5, { example: 0.4 }),
      detector: orderDetector,
      context: parameter.context(() => ngram(2)),
    },
    shipped: [{ alpha: 0.3 }, { alpha: 0.4 }],
    make: ({ alpha, detector }): MethodParts<Order> => ({
      unbiased: true,
      draw: drawOrder,
      reweight: (p, order, q) => permuteReweight(p, order, alpha, q),
      ...orderDetection(detector),
      orbit: orderOrbit,
    }),
  }),
  orderCodes,
)
