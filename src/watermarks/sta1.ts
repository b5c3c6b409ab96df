/**
 * STA-1 (Mao et al. 2024): sample a token, keep it if it is green, else sample once more and keep that. In closed form, with
 * P_G the mass of the green tokens: q_i = p_i (1[i green] + 1 - P_G).
 */
import { binomial } from '../detect/null-laws.ts'
import { sumDetector } from '../detect/sum-detector.ts'
import type { ContextRule } from '../keys/rule.ts'
import { sta1Codes } from '../reference/codes/green.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import {
  allGreenSets,
  drawGreen,
  type GreenSet,
  greenOrbit,
  greenRate,
  greenReweight,
  isGreen,
} from './green.ts'
import { type Codes, checkCodes, domainOf, idOf, usual } from './name.ts'

export interface Sta1Options {
  /** Rate of green tokens. Default 1/2. */
  readonly gamma?: number
  readonly context?: ContextRule
  /** 'reference': as in the MCmark repository; the key is the private key. */
  readonly codes?: Codes
}

/** 1[green] + 1 - P_G */
const factors = (greenMass: number): { green: number; red: number } => {
  const red = Math.max(0, 1 - greenMass)
  return { green: 1 + red, red }
}

/** @example sta1() */
export function sta1(options: Sta1Options = {}): Watermark<GreenSet> {
  const gamma = options.gamma ?? 1 / 2
  const { threshold, rate } = greenRate(gamma)
  const codes = checkCodes(options.codes)
  const context = options.context ?? usual()
  return defineWatermark<GreenSet>({
    id: idOf('sta1', [
      ['gamma', gamma],
      ['codes', codes, 'own'],
      ['context', context.id, usual().id],
    ]),
    domain: domainOf('sta1', context, [
      ['gamma', gamma],
      ['codes', codes, 'own'],
    ]),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: drawGreen,
    reweight: (p, green, q) => greenReweight(p, green, threshold, factors, q),
    score: (token, green) => (isGreen(token, green, threshold) ? 1 : 0),
    detector: sumDetector({ nullLaw: binomial(rate), bound: 1 }),
    orbit: (green, p) => greenOrbit(green, p, threshold),
    enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
    ...(codes === 'reference' && sta1Codes(gamma, threshold)),
  })
}
