/** Gamma-reweight (Hu et al. 2023): the lower half of the mass, in a secret order, moves to the upper half. */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import type { ContextRule } from '../keys/rule.ts'
import { orderCodes } from '../reference/codes/order.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { type Codes, checkCodes, domainOf, idOf, usual } from './name.ts'
import { allOrders, drawOrder, type Order, orderOrbit, permuteReweight, upperHalf } from './permute.ts'

export interface GammaReweightOptions {
  readonly context?: ContextRule
  /** 'reference': as in the MCmark repository; the key is the private key. */
  readonly codes?: Codes
}

/** @example gammaReweight() */
export function gammaReweight(options: GammaReweightOptions = {}): Watermark<Order> {
  const codes = checkCodes(options.codes)
  const context = options.context ?? usual()
  return defineWatermark<Order>({
    id: idOf('gammaReweight', [
      ['codes', codes, 'own'],
      ['context', context.id, usual().id],
    ]),
    domain: domainOf('gammaReweight', context, [['codes', codes, 'own']]),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: drawOrder,
    reweight: (p, order, q) => permuteReweight(p, order, 1 / 2, q),
    score: upperHalf,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
    orbit: orderOrbit,
    enumerate: allOrders,
    ...(codes === 'reference' && orderCodes()),
  })
}
