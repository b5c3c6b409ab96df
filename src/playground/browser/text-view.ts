/** A text as coloured tokens. */
import { element } from './elements.ts'
import { share } from './numbers.ts'
import type { Piece } from './protocol.ts'

/** Shades by how seldom so large a score is without the mark. */
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

/** The scale of shades. */
export function legend(): HTMLElement[] {
  const words = ['common', '', '', '', 'rare']
  return words.map((word, shade) =>
    element('span', { class: 'token', 'data-shade': `${shade}` }, word || '\u00a0\u00a0'),
  )
}
