/**
 * Delta-reweight (Hu et al. 2023): inverse sampling with a secret order and a secret u, both from the context. Their detector
 * needs the model; this one does not: it scores how close u and the token's own word are, on a lattice of 1024 cells. The
 * two are independent and exactly uniform on the lattice under the null: P(d = 0) = 1/G, P(d) = 2 (G - d) / G^2.
 */
import { lattice, sumDetector } from '../core/detect/index.ts'
import { ngram, OWN } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { landing, type Place, placeOrbit } from './mechanisms/inverse.ts'

const G = 1024

/** The law of G - 1 - |a - b| on 0 .. G-1. */
const closenessLaw = Float64Array.from({ length: G }, (_, s) =>
  s === G - 1 ? 1 / G : (2 * (s + 1)) / G ** 2,
)

/** One for all: what it keeps of the law serves every detector. */
const closenessNull = lattice(closenessLaw)

const closeness = (token: number, { u, random }: Place): number =>
  G - 1 - Math.abs(Math.min(G - 1, Math.floor(u * G)) - (random.uint32(token) >>> 22))

/**
 * Delta-reweight (Hu et al., 2023): inverse sampling with a secret order and a secret uniform number.
 * @example deltaReweight().unbiased // true
 */
export const deltaReweight = defineMethod('deltaReweight', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: (): MethodParts<Place> => ({
    unbiased: true,
    draw: (random) => ({ u: random.uniform(OWN), random }),
    choose: landing,
    score: closeness,
    detector: sumDetector({ nullLaw: closenessNull, bound: G - 1 }),
    orbit: placeOrbit,
  }),
})
