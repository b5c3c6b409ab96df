/** Numbers and tokens as the page shows them. */
import { element } from './elements.ts'
import type { Piece, ReadMessage } from './protocol.ts'

/** Prints a p-value; below 10^-3 as a power of ten. */
export function pValue(logP: number): (Node | string)[] {
  const exponent = logP / Math.LN10
  if (exponent > -3) return [`p = ${Number(Math.exp(logP).toPrecision(2))}`]
  const power = Math.floor(exponent)
  const mantissa = (10 ** (exponent - power)).toFixed(1)
  return [`p = ${mantissa} × 10`, element('sup', {}, `−${-power}`)]
}

/** Prints a p-value in plain text, for titles and labels. */
export function pText(logP: number): string {
  const exponent = logP / Math.LN10
  return exponent > -3 ? `${Number(Math.exp(logP).toPrecision(2))}` : `10 to the ${exponent.toFixed(1)}`
}

export const count = (n: number, word: string): string =>
  `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`

export const share = (value: number): string => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)}%`

/** Shades by the probability of a score at least as large without the mark. */
const SHADES = [0.6, 0.35, 0.15, 0.05] as const

const shadeOf = (tail: number): number => SHADES.filter((bound) => tail <= bound).length

function titleOf({ score, tail }: Piece): string {
  if (score === undefined || tail === undefined) return 'not scored'
  return `score ${Number(score.toPrecision(3))}; ${share(tail)} of tokens without the mark score as much`
}

export function tokenElement(piece: Piece): HTMLElement {
  const shade = piece.tail === undefined ? 'none' : `${shadeOf(piece.tail)}`
  return element('span', { class: 'token', 'data-shade': shade, title: titleOf(piece) }, piece.text)
}

/** Shows the scale of shades. */
export function legend(): HTMLElement[] {
  const words = ['common', '', '', '', 'rare']
  return words.map((word, shade) =>
    element('span', { class: 'token', 'data-shade': `${shade}` }, word || '\u00a0\u00a0'),
  )
}

/** Says which message was read, and how many of its blocks are sure at 1%. */
export function messageSaid(message: ReadMessage | undefined): string {
  if (message === undefined) return ''
  const { shown, pValues } = message
  const sure = pValues.filter((p) => p <= 0.01).length
  return `Message: ${shown} (${sure} of ${count(pValues.length, 'block')} sure at 1%)`
}
