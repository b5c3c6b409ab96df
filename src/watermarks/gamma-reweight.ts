/** Gamma-reweight (Hu et al. 2023): the lower half of the mass, in a secret order, moves to the upper half. */
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { orderDetection, orderDetector } from './mechanisms/order-detection.ts'
import { drawOrder, type Order, orderOrbit, permuteReweight } from './mechanisms/permute.ts'
import { orderCodes } from './published/codes/order.ts'
import { withPublished } from './published/published.ts'

/**
 * Gamma-reweight (Hu et al., 2023): the lower half of the mass, in a secret order, moves to the upper half.
 * @example gammaReweight().unbiased // true
 */
export const gammaReweight = withPublished(
  defineMethod('gammaReweight', {
    parameters: {
      detector: orderDetector,
      context: parameter.context(() => ngram(2)),
    },
    make: ({ detector }): MethodParts<Order> => ({
      unbiased: true,
      draw: drawOrder,
      reweight: (p, order, q) => permuteReweight(p, order, 1 / 2, q),
      ...orderDetection(detector),
      orbit: orderOrbit,
    }),
  }),
  orderCodes,
)
