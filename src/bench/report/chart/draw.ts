/** SVG as text: elements, and about how wide words are where no browser is there to ask. */
import { markup } from '../escape.ts'

export type Attributes = { readonly [name: string]: string | number | undefined }

/** Numbers to a tenth of a pixel, of lengths below 3 to a hundredth: enough, and the same on every machine. */
export const shown = (value: string | number): string =>
  typeof value === 'number' ? String(Number(value.toFixed(Math.abs(value) < 3 ? 2 : 1))) : value

/** A point in a path or in a transformation. */
export const at = (x: number, y: number): string => `${shown(x)} ${shown(y)}`

/** An element with escaped attributes; children are SVG already. */
export function element(tag: string, attributes: Attributes, ...children: readonly string[]): string {
  const list = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${markup(shown(value))}"`],
  )
  return children.length > 0
    ? `<${tag}${list.join('')}>${children.join('')}</${tag}>`
    : `<${tag}${list.join('')}/>`
}

/** A line of text. */
export const label = (content: string, attributes: Attributes): string =>
  element('text', attributes, markup(content))

export function line(x1: number, y1: number, x2: number, y2: number, attributes: Attributes): string {
  const end = y1 === y2 ? `H${shown(x2)}` : x1 === x2 ? `V${shown(y2)}` : `L${at(x2, y2)}`
  return element('path', { d: `M${at(x1, y1)}${end}`, ...attributes })
}

/** A path through points, in steps of tenths of a pixel from each to the next: short, and no error adds up. */
export function through(points: readonly (readonly [number, number])[]): string {
  let last: readonly [number, number] = [0, 0]
  return points
    .map((point, i) => {
      const here = [Math.round(10 * point[0]), Math.round(10 * point[1])] as const
      const [dx, dy] = [(here[0] - last[0]) / 10, (here[1] - last[1]) / 10]
      last = here
      return `${i === 0 ? 'M' : i === 1 ? 'l' : dx < 0 ? '' : ' '}${dx}${dy < 0 ? '' : ' '}${dy}`
    })
    .join('')
}

/** Widths of characters in parts of the font size, as of a wide sans serif face: labels may turn out narrower, not wider. */
function characterWidth(c: string): number {
  if ("ijl'|.,:;! ".includes(c)) return 0.34
  if ('ft()[]-r/'.includes(c)) return 0.41
  if ('mwMW%@'.includes(c)) return 0.97
  if (/[A-Z]/.test(c)) return 0.7
  if (/[\u2e80-\uffff]/.test(c)) return 1
  return 0.635
}

/** About how wide a line of text is, in pixels. */
export const textWidth = (content: string, size: number): number =>
  size * [...content].reduce((sum, c) => sum + characterWidth(c), 0)

/** A text that fits into a width, cut with an ellipsis where it must be. Reads no further than that. */
export function fitted(content: string, size: number, width: number): string {
  const ellipsis = characterWidth('\u2026')
  let sum = 0
  let kept = 0
  for (const c of content) {
    sum += characterWidth(c)
    // the first character stays, however narrow the room
    if (size * (sum + ellipsis) <= width || kept === 0) kept += c.length
    if (size * sum > width) return `${content.slice(0, kept).trimEnd()}\u2026`
  }
  return content
}

/** Words on as many lines as a width asks for. */
export function wrapped(content: string, size: number, width: number): string[] {
  const lines: string[] = []
  for (const word of content.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((one) => fitted(one, size, width))
}
