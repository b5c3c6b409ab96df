/** The common part of KGW and Unigram: logits of green tokens plus delta, that is q_i proportional to p_i e^(delta green_i). Biased. */
import type { MethodParts } from '../../core/method/index.ts'
import {
  allGreenSets,
  drawGreen,
  type GreenSet,
  type GreenTest,
  greenDetector,
  greenRate,
  greenReweight,
  greenScore,
} from './green.ts'

function tiltReweight(
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

/** The declaration, but for where green sets come from. */
export function tilted(delta: number, gamma: number, detector: GreenTest): MethodParts<GreenSet> {
  const { threshold, rate } = greenRate(gamma)
  return {
    unbiased: false,
    draw: drawGreen,
    reweight: (p, green, q) => tiltReweight(p, green, threshold, delta, q),
    ...greenScore(threshold),
    detector: greenDetector(detector, rate),
    enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
  }
}
