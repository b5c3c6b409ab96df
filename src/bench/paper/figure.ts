/**
 * A printed figure: what stands on paper, the number it means, and how far the unrounded number can lie from
 * it. `68.7%` is 0.687 with a half unit of 0.0005: whatever was rounded to it lies in [0.6865, 0.6875].
 */
import { outOfRange } from '../../input.ts'

/** The unit of a figure. Percentages are held as fractions: 68.7% has the value 0.687. */
export type Unit =
  | 'percent'
  | 'probability'
  | 'fraction'
  | 'cosine similarity'
  | 'F-measure'
  | 'BLEU points (of 100)'
  | 'perplexity'
  | 'score (of 1)'

/** A printed figure: its digits, and the numbers that round to them. */
export interface Figure {
  /** As printed, with its digits. */
  readonly printed: string
  readonly value: number
  /** Half a unit in the last printed place, in the scale of `value`. */
  readonly halfUnit: number
  readonly unit: Unit
}

/** The integers a and b of `a / 10^b`, so that 0.3077 is exact until it is divided. */
const decimal = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?(%?)$/

/**
 * Reads a printed figure.
 *
 * @example figure('68.7%', 'percent') // { printed: '68.7%', value: 0.687, halfUnit: 0.0005, unit: 'percent' }
 */
export function figure(printed: string, unit: Unit): Figure {
  const match = decimal.exec(printed)
  if (!match) throw outOfRange('printed', 'a decimal number, with % where it is a percentage', printed)
  const [, whole = '', digits = '', exponent = '0', percent] = match
  if ((percent === '%') !== (unit === 'percent')) throw outOfRange('printed', `a figure in ${unit}`, printed)
  const places = digits.length - Number(exponent) + (percent ? 2 : 0)
  const value = Number(`${whole}${digits}e${-places}`)
  return { printed, value, halfUnit: Number(`5e${-places - 1}`), unit }
}
