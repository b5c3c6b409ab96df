/**
 * How the place of a token in a secret order becomes evidence. 'half' asks whether it is in the upper half of all words, as published. 'linear' takes the
 * place itself, in 64 cells: a marked token is the likelier the further up it is, not only above the middle, so fewer tokens are needed. Under the null the
 * cell is uniform, and the tail of sums is exact on the lattice.
 */
import { binomial, lattice } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { parameter } from '../method/parameters.ts'
import type { DeclaredParts } from '../watermark.ts'
import { allOrders, drawOrder, type Order, upperHalf, wordAt } from './permute.ts'
import { scoreOfWord } from './word-score.ts'

const CELL_BITS = 6
const CELLS = 2 ** CELL_BITS

/** One for all: what it keeps of the law serves every detector. */
const uniformCells = lattice(new Float64Array(CELLS).fill(1 / CELLS))

const cell = scoreOfWord<Order>(
  (token, order) => wordAt(token, order) >>> (32 - CELL_BITS),
  drawOrder,
  (word) => word >>> (32 - CELL_BITS),
)

const half = scoreOfWord<Order>(
  (token, order) => upperHalf(token, order),
  drawOrder,
  (word) => word >>> 31,
)

/** The option `detector` of methods that mark by a secret order. */
export const orderDetector = parameter.oneOf(['half', 'linear'], {
  about:
    "'half' counts tokens in the upper half of the order, as published; 'linear' adds up their places and needs fewer tokens. Both read the same text.",
})

/** The parts of a declaration that the choice decides. */
export const orderDetection = (
  detector: 'half' | 'linear',
): Pick<DeclaredParts<Order>, 'score' | 'detector' | 'enumerate'> =>
  detector === 'half'
    ? {
        score: half,
        detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
        enumerate: allOrders,
      }
    : { score: cell, detector: sumDetector({ nullLaw: uniformCells, bound: CELLS - 1 }) }
