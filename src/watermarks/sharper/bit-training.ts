/**
 * The data that the Bayesian detector of SynthID (Dathathri et al. 2024) learns from marked texts, as plain data, and what follows from it. Bit l of a marked token is 1 with a rate r_l > 1/2 that depends on the model and falls
 * with l; of an unmarked one it is fair. The likelihood ratio of a text is the product over its tokens and layers of 2 r_l where the bit is 1 and 2 (1 - r_l) where it is 0, so its logarithm is a
 * constant per token plus the sum of the ones, each times ln(r_l / (1 - r_l)). Those weights are rounded to whole multiples of 1/64: the law of the sum is exact.
 */

import { realValues } from '../../core/stats/index.ts'
import { integer, number, requireOptions, text } from '../../input.ts'

/** Weights are whole multiples of 1/GRAIN nats. */
const GRAIN = 64

/** With two leaves no bit of a marked token has a rate above 3/4, with three none above 7/8. */
export const MAX_RATE = 7 / 8

const MAX_LAYERS = 128

/** Held-out texts with a likelihood ratio of at least `from` and below that of the next bin. */
export interface CalibrationBin {
  readonly from: number
  readonly marked: number
  readonly unmarked: number
}

/** Counts of the likelihood ratios of held-out texts in each bin: plain data. */
export interface Calibration {
  readonly bins: readonly CalibrationBin[]
  /** The numbers of texts. */
  readonly marked: number
  readonly unmarked: number
}

/** The result of training: plain data. */
export interface BitTraining {
  /** The name of the texts it was trained on, printable: part of the detector's id. */
  readonly name: string
  /** The rate at which the bit of each layer is 1 in marked tokens: from 1/2 to 7/8. */
  readonly rates: readonly number[]
  /** The number of tokens it has seen. */
  readonly tokens: number
  /** The reliability of its probabilities: see `calibrate`. */
  readonly calibration?: Calibration
}

/** Checks what was learned. */
export function requireTraining(training: BitTraining): void {
  requireOptions('training', training, ['name', 'rates', 'tokens', 'calibration'])
  text('training.name', training.name, 200)
  integer('training.tokens', training.tokens, 0)
  const rates = realValues('training.rates', training.rates)
  integer('training.rates.length', rates.length, 1, MAX_LAYERS)
  for (const [layer, rate] of rates.entries()) number(`training.rates[${layer}]`, rate, 1 / 2, MAX_RATE)
}

/** The weight of each layer's ones, in whole units. */
export const weightsOf = ({ rates }: BitTraining): number[] =>
  Array.from(rates, (rate) => Math.round(GRAIN * Math.log(rate / (1 - rate))))

/** The largest score of a token. */
export const mostOf = (training: BitTraining): number => weightsOf(training).reduce((sum, w) => sum + w, 0)

/** Returns ln of the likelihood ratio of a text with this total score over `scored` tokens. */
export const logRatioOf = (training: BitTraining, statistic: number, scored: number): number =>
  statistic / GRAIN + scored * training.rates.reduce((sum, rate) => sum + Math.log(2 * (1 - rate)), 0)
