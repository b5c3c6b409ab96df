/** DiPmark (Wu et al. 2024): permute-reweight with a strength. alpha = 1/2 is gamma-reweight. */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { number } from '../input.ts'
import type { ContextRule } from '../keys/rule.ts'
import { orderCodes } from '../reference/codes/order.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { type Codes, checkCodes, domainOf, idOf, usual } from './name.ts'
import { allOrders, drawOrder, type Order, orderOrbit, permuteReweight, upperHalf } from './permute.ts'

export interface DipmarkOptions {
  /** The share of mass that is moved, in [0, 1/2]. */
  readonly alpha: number
  readonly context?: ContextRule
  /** 'reference': as in the MCmark repository; the key is the private key. */
  readonly codes?: Codes
}

/** @example dipmark({ alpha: 0.4 }) */
export function dipmark(options: DipmarkOptions): Watermark<Order> {
  const alpha = number('alpha', options?.alpha, 0, 0.5)
  const codes = checkCodes(options.codes)
  const context = options.context ?? usual()
  return defineWatermark<Order>({
    id: idOf('dipmark', [
      ['alpha', alpha],
      ['codes', codes, 'own'],
      ['context', context.id, usual().id],
    ]),
    domain: domainOf('dipmark', context, [['codes', codes, 'own']]),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: drawOrder,
    reweight: (p, order, q) => permuteReweight(p, order, alpha, q),
    score: upperHalf,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
    orbit: orderOrbit,
    enumerate: allOrders,
    ...(codes === 'reference' && orderCodes()),
  })
}
