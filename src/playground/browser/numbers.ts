/** Numbers as the page prints them. */
import { element } from './elements.ts'

/** A p-value: plain where it is not small, else as a power of ten. */
export function pValue(logP: number): (Node | string)[] {
  const exponent = logP / Math.LN10
  if (exponent > -3) return [`p = ${Number(Math.exp(logP).toPrecision(2))}`]
  const whole = Math.floor(exponent)
  const mantissa = (10 ** (exponent - whole)).toFixed(1)
  return ['p = ', `${mantissa} × 10`, element('sup', {}, `−${-whole}`)]
}

/** The same in plain text, for titles and labels. */
export function pText(logP: number): string {
  const exponent = logP / Math.LN10
  return exponent > -3 ? `${Number(Math.exp(logP).toPrecision(2))}` : `10 to the ${exponent.toFixed(1)}`
}

export const count = (n: number, word: string): string =>
  `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`

export const share = (value: number): string => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)}%`
