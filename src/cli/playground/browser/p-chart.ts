/** The p-value of both texts against their length, on a log axis. Drawn at its displayed size, so that labels stay readable. */

import { drawn } from './elements.ts'
import { ALPHA, type Side } from './protocol.ts'
import { pText } from './shown.ts'

const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 }
const HEIGHT = 240
const NAMES = ['without the mark', 'with the mark'] as const

/** Returns a round step that divides a range into at most five parts. */
function stepFor(range: number): number {
  const rough = range / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough)!
}

const ticks = (end: number, step: number): number[] =>
  Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step)

const label = (x: number, y: number, anchor: 'middle' | 'end', ...words: (Node | string)[]): SVGTextElement =>
  drawn('text', { x: `${x}`, y: `${y}`, 'text-anchor': anchor, class: 'tick' }, ...words)

const power = (exponent: number): (Node | string)[] =>
  exponent === 0 ? ['1'] : ['10', drawn('tspan', { dy: '-5', class: 'power' }, `−${exponent}`)]

export function pChart(figure: SVGSVGElement) {
  let length = 100
  const lines: [number[], number[]] = [[], []]

  const draw = (): void => {
    const width = Math.max(280, figure.clientWidth || 600)
    const lowest = Math.min(...lines.flat(), Math.log(1e-4)) / Math.LN10
    const step = Math.max(1, stepFor(-lowest))
    const depth = Math.ceil(-lowest / step) * step
    const longest = Math.max(length, ...lines.map((line) => line.length))
    const x = (t: number): number => MARGIN.left + (t / longest) * (width - MARGIN.left - MARGIN.right)
    const y = (exponent: number): number =>
      MARGIN.top + (exponent / depth) * (HEIGHT - MARGIN.top - MARGIN.bottom)
    const line = (from: [number, number], to: [number, number], kind: string) =>
      drawn('line', { x1: `${from[0]}`, y1: `${from[1]}`, x2: `${to[0]}`, y2: `${to[1]}`, class: kind })
    const right = width - MARGIN.right
    const level = y(-Math.log10(ALPHA))
    const parts: Node[] = [
      ...ticks(depth, step).flatMap((exponent) => [
        line([MARGIN.left, y(exponent)], [right, y(exponent)], 'grid'),
        label(MARGIN.left - 8, y(exponent) + 4, 'end', ...power(exponent)),
      ]),
      ...ticks(longest, stepFor(longest)).map((t) => label(x(t), HEIGHT - 16, 'middle', `${t}`)),
      label(right, HEIGHT - 2, 'end', 'tokens'),
      line([MARGIN.left, level], [right, level], 'level'),
      label(right, level - 5, 'end', '1%'),
      ...lines.map((values, side) => {
        const points = values.map((logP, t) => `${x(t + 1).toFixed(1)},${y(-logP / Math.LN10).toFixed(1)}`)
        return drawn('polyline', {
          points: [`${x(0)},${y(0)}`, ...points].join(' '),
          class: `line side-${side}`,
        })
      }),
    ]
    figure.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
    figure.replaceChildren(...parts)
    figure.setAttribute('aria-label', describe())
  }

  const describe = (): string =>
    `The p-value as the text grows: ${lines
      .map((values, side) =>
        values.length === 0
          ? `${NAMES[side]} no value`
          : `${NAMES[side]} ${pText(values.at(-1)!)} after ${values.length} tokens`,
      )
      .join(', ')}.`

  let asked = false
  /** Draws at most once per frame, however fast tokens come. */
  const drawSoon = (): void => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      draw()
    })
  }
  new ResizeObserver(drawSoon).observe(figure)
  return {
    clear(tokens: number): void {
      length = tokens
      for (const line of lines) line.length = 0
      drawSoon()
    },
    /** Adds ln p of one text after one more token. */
    add(side: Side, logP: number): void {
      lines[side].push(logP)
      drawSoon()
    },
  }
}
