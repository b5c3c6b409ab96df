/**
 * The score of the Gumbel watermark that is best in the worst case (Li, Ruan, Wang, Long and Su 2024). If no token has more than 1 - delta of the mass, the marked u is hardest to tell from a uniform one
 * where p = (1 - delta, ..., 1 - delta, rest); there its density is the sum over tokens of r^(1/p - 1), and the score is the logarithm of that. The usual score -ln(1 - u) is made for
 * high entropy and sees little where one token has almost all the mass.
 *
 * The logarithm is cut into cells, so that its sum lies on a lattice and has an exact tail: P(score >= s) = 1 - T_s for the threshold T_s of u.
 */
import { lattice, sumDetector } from '../../core/detect/index.ts'
import { defineWatermark } from '../../core/method/index.ts'
import { bisect } from '../../core/stats/index.ts'
import { number, outOfRange, requireOptions } from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import type { Exponentials } from '../mechanisms/gumbel-max.ts'

const CELLS = 256
/** Below this all u score 0. */
const LEAST = 1 / 256

/** Rounding of u, towards less evidence: own uniforms have 53 bits, published ones 24. */
const [FINE, COARSE] = [2 ** -52, 2 ** -22]

/** ln of the density of u under the hardest distribution, and the mass of its last token. */
function logDensity(delta: number): (r: number) => number {
  const most = 1 - delta
  const count = Math.floor(1 / most + 1e-12)
  const rest = 1 - count * most
  return (r) => Math.log(count * r ** (1 / most - 1) + (rest > 1e-12 ? r ** (1 / rest - 1) : 0))
}

/** T_s for s = 0, 1, ...: the least u that scores s. */
function thresholds(delta: number): Float64Array {
  const score = logDensity(delta)
  const [low, high] = [score(LEAST), score(1)]
  return Float64Array.from({ length: CELLS }, (_, s) =>
    s === 0 ? 0 : bisect((r) => score(r) < low + ((high - low) * s) / CELLS, LEAST, 1),
  )
}

export interface MinimaxScoreOptions {
  /** No token is taken to have more than 1 - delta of the mass. Default 0.01. */
  readonly delta?: number
}

/**
 * The same Gumbel watermark, with a detector that needs fewer tokens where the entropy is low: 3,000 instead of 5,900 for p = (0.99, 0.01). It reads the same texts.
 * @example withMinimaxScore(gumbel(), { delta: 0.01 }).id // 'gumbel, minimax score(delta=0.01)'
 */
export function withMinimaxScore(
  watermark: Watermark<Exponentials>,
  options: MinimaxScoreOptions = {},
): Watermark<Exponentials> {
  requireWatermark(watermark)
  requireOptions('withMinimaxScore', options, ['delta'])
  const delta = number('delta', options.delta ?? 0.01, 0, 1, true)
  number('delta', delta, 1e-4, 0.5)
  const { detector, context, domain } = watermark
  if (detector?.id !== 'sum' || context.recurs || !domain.startsWith('gumbel'))
    throw outOfRange('watermark', 'a Gumbel watermark that scores each context once', watermark.id)
  const least = thresholds(delta)
  const masses = least.map((from, s) => (s + 1 < CELLS ? least[s + 1]! : 1) - from)
  const tail = (p: Float64Array, s: number): number => {
    if (s <= 0) return 1
    if (s >= CELLS) return 0
    // token i wins at a time M that is exponential, and then u = e^(-p_i M)
    const log = Math.log(least[Math.ceil(s)]!)
    return p.reduce((sum, mass) => (mass > 0 ? sum - mass * Math.expm1(log / mass) : sum), 0)
  }
  return defineWatermark<Exponentials>({
    ...watermark,
    id: `${watermark.id}, minimax score(delta=${delta})`,
    score(token, exponentials) {
      const u = Math.exp(-exponentials.at(token)) - (exponentials.random === undefined ? COARSE : FINE)
      // the last threshold at or below u
      let [from, to] = [0, CELLS]
      while (to - from > 1) {
        const middle = (from + to) >>> 1
        if (least[middle]! <= u) from = middle
        else to = middle
      }
      return from
    },
    detector: sumDetector({ nullLaw: lattice(masses), bound: CELLS - 1 }),
    markedScore: {
      mean: (p) => masses.reduce((sum, _, s) => (s === 0 ? sum : sum + tail(p, s)), 0),
      tail,
      most: CELLS - 1,
    },
  })
}
