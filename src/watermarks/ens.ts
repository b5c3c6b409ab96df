/**
 * ENS (Wu et al. 2025): several unbiased marks in sequence, each with randomness of its own: q = F(... F(F(p, k_1), k_2) ..., k_n). Given the others, the mean over one mark's
 * randomness is what it was given, so the mean over all is p. A token's score is the sum of its scores under each; under the null they are independent. The mark here is
 * permute-reweight: DiPmark with `alpha`, or gamma-reweight at 1/2.
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { ngram } from '../keys/ngram.ts'
import { type Random, wordsFrom } from '../keys/random.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { type Order, permuteReweight, upperHalf } from './permute.ts'

/** The order of each mark. */
type Orders = readonly Order[]

/** Above this there are too many reversals to list. */
const MAX_MARKS_IN_ORBIT = 10

/** The orders of all marks read words of one position, far from each other. */
const drawOrders = (random: Random, marks: number): Orders =>
  Array.from({ length: marks }, (_, k) => ({ random: k === 0 ? random : wordsFrom(random, k), flip: 0 }))

/** Writes q: one mark after the other. */
function reweightAll(p: Float64Array, orders: Orders, alpha: number, q: Float64Array): void {
  for (const [k, order] of orders.entries())
    permuteReweight(k === 0 ? p : Float64Array.from(q), order, alpha, q)
}

/**
 * ENS (Wu et al., 2025): several marks by secret orders in sequence, which together need fewer tokens.
 * @example ens({ marks: 5 }).id // 'ens(marks=5)'
 */
export const ens = defineMethod('ens', {
  parameters: {
    /** Marks in sequence. */
    marks: parameter.integer(1, 64, { example: 5, shapesCode: true }),
    /** The share of mass that each mark moves: 1/2 is gamma-reweight. */
    alpha: parameter.number(0, 0.5, { default: 1 / 2 }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  small: { marks: 2 },
  make: ({ marks, alpha }): MethodParts<Orders> => ({
    unbiased: true,
    draw: (random) => drawOrders(random, marks),
    reweight: (p, orders, q) => reweightAll(p, orders, alpha, q),
    score: (token, orders) => orders.reduce((sum, order) => sum + upperHalf(token, order), 0),
    detector: sumDetector({ nullLaw: binomial(1 / 2, { trials: marks }), bound: marks }),
    // each order or its reverse
    ...(marks <= MAX_MARKS_IN_ORBIT && {
      orbit: (orders: Orders) =>
        Array.from({ length: 2 ** marks }, (_, turned) =>
          orders.map(
            (order, k): Order => ({
              ...order,
              flip: (turned >>> k) & 1 ? (order.flip === 0 ? -1 : 0) : order.flip,
            }),
          ),
        ),
    }),
  }),
})
