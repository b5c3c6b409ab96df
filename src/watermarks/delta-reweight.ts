/**
 * Delta-reweight (Hu et al. 2023): inverse sampling with a secret order and a secret u, both from the context. Their detector
 * needs the model; this one does not: it scores how close u and the token's own word are, on a lattice of 1024 cells. The
 * two are independent and exactly uniform on the lattice under the null: P(d = 0) = 1/G, P(d) = 2 (G - d) / G^2.
 */
import { lattice } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import { OWN } from '../keys/random.ts'
import type { ContextRule } from '../keys/rule.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { landing, type Place, placeOrbit } from './inverse.ts'
import { domainOf, idOf, usual } from './name.ts'

export interface DeltaReweightOptions {
  readonly context?: ContextRule
}

const G = 1024

/** The law of G - 1 - |a - b| on 0 .. G-1. */
const closenessLaw = Float64Array.from({ length: G }, (_, s) =>
  s === G - 1 ? 1 / G : (2 * (s + 1)) / G ** 2,
)

/** One for all: what it keeps of the law serves every detector. */
const closenessNull = lattice(closenessLaw)

const closeness = (token: number, { u, random }: Place): number =>
  G - 1 - Math.abs(Math.min(G - 1, Math.floor(u * G)) - (random.uint32(token) >>> 22))

/** @example deltaReweight() */
export function deltaReweight(options: DeltaReweightOptions = {}): Watermark<Place> {
  const context = options.context ?? usual()
  return defineWatermark<Place>({
    id: idOf('deltaReweight', [['context', context.id, usual().id]]),
    domain: domainOf('deltaReweight', context),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: (random) => ({ u: random.uniform(OWN), random }),
    choose: landing,
    score: closeness,
    detector: sumDetector({ nullLaw: closenessNull, bound: G - 1 }),
    orbit: placeOrbit,
  })
}
