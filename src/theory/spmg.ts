/**
 * Single-prompt multi-generation (SPMG): how far a test model drifts from the original when one prompt is asked
 * many times. `values[i][j]` is the metric of generation j of prompt i.
 */

import { realValues } from '../core/stats/index.ts'
import { integer, list, number, oneOf, outOfRange, requireOptions, text } from '../input.ts'

/** The metric of every generation, prompt by prompt. */
export type Generations = readonly (ArrayLike<number> & Iterable<number>)[]

/**
 * Returns the mean of the metric over the generations of each prompt.
 * @example promptMeans([[1, 3], [0, 0]]) // Float64Array [2, 0]
 */
export function promptMeans(values: Generations, name = 'values'): Float64Array {
  text('name', name)
  const prompts = list<ArrayLike<number>>(name, values, 'a list with the metrics of each prompt')
  if (prompts.length === 0) throw outOfRange(name, 'at least one prompt', values)
  return Float64Array.from(prompts, (generations, i) => {
    if (generations?.length === 0) throw outOfRange(`${name}[${i}]`, 'at least one generation', generations)
    const total = realValues(`${name}[${i}]`, generations).reduce((a, b) => a + b, 0)
    if (!Number.isFinite(total)) throw outOfRange(`${name}[${i}]`, 'finite metrics', generations)
    return total / generations.length
  })
}

/** Returns the mean over prompts of |a_i - b_i|. */
function meanDistance(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) throw outOfRange('prompts', `${a.length} in both`, b.length)
  let total = 0
  for (let i = 0; i < a.length; i++) total += Math.abs(a[i]! - b[i]!)
  return total / a.length
}

/**
 * Returns the SPMG gap: the mean over prompts of the distance between the two models' mean metrics.
 *
 * @example spmgGap([[1, 3], [0, 0]], [[1, 1], [0, 2]]) // (|2 - 1| + |0 - 1|) / 2 = 1
 */
export const spmgGap = (a: Generations, b: Generations): number =>
  meanDistance(promptMeans(a, 'a'), promptMeans(b, 'b'))

/**
 * Computes DetWmk(M, T) = gap(M, T) - gap(M, M'): the test model's gap beyond the gap of a clone of the original.
 *
 * @example detWmk([[0]], [[1]], [[0]]) // 1
 */
export function detWmk(original: Generations, test: Generations, clone: Generations): number {
  const m = promptMeans(original, 'original')
  return meanDistance(m, promptMeans(test, 'test')) - meanDistance(m, promptMeans(clone, 'clone'))
}

/**
 * Thresholds for DetWmk at level alpha when |metric| <= A, from McDiarmid's inequality.
 *
 * Theorem 2 bounds P(DetWmk >= t) by exp(-m n t^2 / (12 A^2)): the differences are 4A, 2A, 2A over mn, and
 * 16 + 4 + 4 = 24 = 2 * 12. So t = A sqrt(12 ln(1/alpha) / (mn)). The text prints A squared in place of A, which
 * is too small whenever A < 1 (`printed`, kept to show the erratum).
 *
 * Sharper: given M, the sets T and M' are exchangeable, so DetWmk has conditional mean 0 and only their 2mn
 * variables, of difference 2A/(mn), remain: 12 becomes 4 and t = 2A sqrt(ln(1/alpha) / (mn)).
 *
 * `sharp` is the sharper constant, `theorem` the constant of Theorem 2.
 */
export type SpmgForm = 'sharp' | 'theorem' | 'printed'

/** The number of texts compared, and the range of the metric. */
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
 * Returns the threshold that DetWmk reaches with probability at most alpha when the test model is the original.
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
 * Returns the bound on P(DetWmk >= t) under the null; the p-value that costs no resampling.
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
