/** The reweight of KGW and Unigram: logits of green tokens plus delta, that is q_i proportional to p_i e^(delta green_i). Biased. */
import { number } from '../input.ts'
import { type GreenSet, greenReweight } from './green.ts'

/** The logit bias, checked. */
export const checkDelta = (delta: unknown): number => number('delta', delta, 0, 100)

export function tiltReweight(
  p: Float64Array,
  green: GreenSet,
  threshold: number,
  delta: number,
  q: Float64Array,
): void {
  const boost = Math.exp(delta)
  greenReweight(
    p,
    green,
    threshold,
    (mass) => {
      const red = 1 / (1 + (boost - 1) * mass)
      return { green: boost * red, red }
    },
    q,
  )
}
