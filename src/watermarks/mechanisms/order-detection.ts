/**
 * Evidence from the place of a token in a secret order. 'half' asks whether it is in the upper half of all words, as published. 'linear' takes the
 * place itself, in 64 cells: a marked token is the likelier the further up it is, not only above the middle, so fewer tokens are needed. Under the null the
 * cell is uniform, and the tail of sums is exact on the lattice. 'published' counts as 'half' does, over all tokens and with Hoeffding's bound.
 */
import { allTokensTest, binomial, lattice, sumDetector } from '../../core/detect/index.ts'
import { parameter } from '../../core/method/index.ts'
import type { DeclaredParts } from '../../watermark.ts'
import { allOrders, type Order, upperHalf, wordAt } from './permute.ts'
import { ofOwnWord } from './word-score.ts'

const CELL_BITS = 6
const CELLS = 2 ** CELL_BITS

/** One for all: what it keeps of the law serves every detector. */
const uniformCells = lattice(new Float64Array(CELLS).fill(1 / CELLS))

/** The option `detector` of methods that mark by a secret order. */
export const orderDetector = parameter.oneOf(['half', 'linear', 'published'], {
  about:
    "'half' counts tokens in the upper half of the order; 'linear' adds up their places and needs fewer tokens; 'published' counts every token as an independent trial, with Hoeffding's bound: its p-values can be too small. All read the same text.",
})

/** The parts of a declaration that the choice decides. */
export const orderDetection = (
  detector: 'half' | 'linear' | 'published',
): Pick<DeclaredParts<Order>, 'score' | 'fast' | 'detector' | 'enumerate'> =>
  detector !== 'linear'
    ? {
        score: upperHalf,
        fast: ofOwnWord((word) => word >>> 31),
        detector:
          detector === 'half'
            ? sumDetector({ nullLaw: binomial(1 / 2), bound: 1 })
            : allTokensTest('hoeffding-test', 1 / 2),
        enumerate: allOrders,
      }
    : {
        score: (token, order) => wordAt(token, order) >>> (32 - CELL_BITS),
        fast: ofOwnWord((word) => word >>> (32 - CELL_BITS)),
        detector: sumDetector({ nullLaw: uniformCells, bound: CELLS - 1 }),
      }
