/** Gamma-reweight (Hu et al. 2023): the lower half of the mass, in a secret order, moves to the upper half. */
import { ngram } from '../keys/ngram.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { orderDetection, orderDetector } from './order-detection.ts'
import { drawOrder, type Order, orderOrbit, permuteReweight } from './permute.ts'

/**
 * Gamma-reweight (Hu et al., 2023): the lower half of the mass, in a secret order, moves to the upper half.
 * @example gammaReweight().unbiased // true
 */
export const gammaReweight = defineMethod('gammaReweight', {
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
})
