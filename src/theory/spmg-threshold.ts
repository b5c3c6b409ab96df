/**
 * Thresholds for DetWmk at level alpha when |metric| <= A, from McDiarmid's inequality.
 *
 * Theorem 2 bounds P(DetWmk >= t) by exp(-m n t^2 / (12 A^2)): the differences are 4A, 2A, 2A over mn, and
 * 16 + 4 + 4 = 24 = 2 * 12. So t = A sqrt(12 ln(1/alpha) / (mn)). The text prints A squared in place of A, which
 * is too small whenever A < 1 (`printed`, kept to show the erratum).
 *
 * Sharper: given M, the sets T and M' are exchangeable, so DetWmk has conditional mean 0 and only their 2mn
 * variables, of difference 2A/(mn), remain: 12 becomes 4 and t = 2A sqrt(ln(1/alpha) / (mn)).
 */
import { integer, number, oneOf, requireOptions } from '../input.ts'

/** Which constant: the sharper one, that of Theorem 2, or the one printed in the text. */
export type SpmgForm = 'sharp' | 'theorem' | 'printed'

/** How many texts are compared, and the range of the metric. */
export interface SpmgDesign {
  /** Generations per prompt. */
  readonly generations: number
  readonly prompts: number
  /** A: the metric lies in [-A, A]; half its range does, since DetWmk does not see a shift. */
  readonly bound: number
}

/** The constant c of P(DetWmk >= t) <= exp(-m n t^2 / (c A^2)). */
const constants = { sharp: 4, theorem: 12 } as const

function check(
  name: string,
  design: SpmgDesign & { readonly alpha?: number; readonly form?: SpmgForm },
): number {
  requireOptions(name, design, ['generations', 'prompts', 'bound', 'form', 'alpha'])
  const { generations, prompts, bound } = design
  number('bound', bound, 0, Number.MAX_VALUE, true)
  return integer('generations', generations, 1) * integer('prompts', prompts, 1)
}

/**
 * The threshold that DetWmk reaches with probability at most alpha when the test model is the original.
 *
 * @example spmgThreshold({ generations: 1000, prompts: 10, bound: 0.5, alpha: 0.05 }) // 0.01731
 */
export function spmgThreshold(
  design: SpmgDesign & { readonly alpha: number; readonly form?: SpmgForm },
): number {
  const samples = check('spmgThreshold', design)
  const { bound, form = 'sharp' } = design
  const level = -Math.log(number('alpha', design.alpha, 0, 1, true)) / samples
  if (oneOf('form', form, ['sharp', 'theorem', 'printed']) === 'printed')
    return bound ** 2 * Math.sqrt(12 * level)
  return bound * Math.sqrt(constants[form as keyof typeof constants] * level)
}

/**
 * The bound on P(DetWmk >= t) under the null; the p-value that costs no resampling.
 *
 * @example spmgTailBound(0.1, { generations: 100, prompts: 10, bound: 0.5 }) // exp(-10) = 4.54e-5
 */
export function spmgTailBound(
  t: number,
  design: SpmgDesign & { readonly form?: Exclude<SpmgForm, 'printed'> },
): number {
  number('t', t, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const samples = check('spmgTailBound', design)
  const form = oneOf('form', design.form ?? 'sharp', ['sharp', 'theorem'])
  return t <= 0 ? 1 : Math.exp((-samples * (t / design.bound) ** 2) / constants[form])
}
