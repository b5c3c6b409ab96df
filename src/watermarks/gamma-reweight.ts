/** Gamma-reweight (Hu et al. 2023): the lower half of the mass, in a secret order, moves to the upper half. */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { ngram } from '../keys/ngram.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { allOrders, drawOrder, type Order, orderOrbit, permuteReweight, upperHalf } from './permute.ts'

/**
 * Gamma-reweight (Hu et al., 2023): the lower half of the mass, in a secret order, moves to the upper half.
 * @example gammaReweight().unbiased // true
 */
export const gammaReweight = defineMethod('gammaReweight', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  make: (): MethodParts<Order> => ({
    unbiased: true,
    draw: drawOrder,
    reweight: (p, order, q) => permuteReweight(p, order, 1 / 2, q),
    score: upperHalf,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
    orbit: orderOrbit,
    enumerate: allOrders,
  }),
})
