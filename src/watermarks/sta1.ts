/**
 * STA-1 (Mao et al. 2024): sample a token, keep it if it is green, else sample once more and keep that. In closed form, with
 * P_G the mass of the green tokens: q_i = p_i (1[i green] + 1 - P_G).
 */
import { ngram } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import {
  allGreenSets,
  drawGreen,
  type GreenSet,
  greenDetector,
  greenOrbit,
  greenRate,
  greenReweight,
  greenScore,
  greenTests,
} from './mechanisms/green.ts'
import { sta1Codes } from './published/codes/green.ts'
import { withPublished } from './published/published.ts'

/** 1[green] + 1 - P_G */
const factors = (greenMass: number): { green: number; red: number } => {
  const red = Math.max(0, 1 - greenMass)
  return { green: 1 + red, red }
}

/**
 * The chance that a marked token is green, where each token is green with probability `rate`: with C = sum p^2, the mass of the
 * green tokens has the mean of its square rate^2 + rate (1 - rate) C.
 * @example sta1GreenChance([0.5, 0.5], 1 / 2) // 0.625
 */
export function sta1GreenChance(p: ArrayLike<number>, rate: number): number {
  let collision = 0
  for (let i = 0; i < p.length; i++) collision += p[i]! ** 2
  return rate + rate * (1 - rate) * (1 - collision)
}

/**
 * STA-1 (Mao et al., 2024): sample, keep a green token, else sample once more.
 * @example sta1().unbiased // true
 */
export const sta1 = withPublished(
  defineMethod('sta1', {
    parameters: {
      /** Rate of green tokens. */
      gamma: parameter.number(0, 1, { open: true, default: 1 / 2, shapesCode: true }),
      /**
       * 'guaranteed': the exact tail over what is independent. 'published': the z-test of the published code, which counts every
       * token as an independent trial; its p-values are too small.
       */
      detector: parameter.oneOf(greenTests),
      context: parameter.context(() => ngram(2)),
    },
    make({ gamma, detector }): MethodParts<GreenSet> {
      const { threshold, rate } = greenRate(gamma)
      const chance = (p: Float64Array): number => sta1GreenChance(p, rate)
      return {
        unbiased: true,
        draw: drawGreen,
        reweight: (p, green, q) => greenReweight(p, green, threshold, factors, q),
        ...greenScore(threshold),
        detector: greenDetector(detector, rate),
        orbit: (green, p) => greenOrbit(green, p, threshold),
        enumerate: (vocabSize) => allGreenSets(vocabSize, rate),
        markedScore: { mean: chance, tail: (p, s) => (s <= 0 ? 1 : s <= 1 ? chance(p) : 0), most: 1 },
      }
    },
  }),
  sta1Codes,
)
