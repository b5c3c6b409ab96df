/** The p-value of both texts against their length, on a log axis. Drawn at the size it has, so that its words stay readable. */
import { drawn } from './elements.ts'
import { pText } from './numbers.ts'

const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 }
const HEIGHT = 240
const ALPHA = 0.01
const NAMES = ['without the mark', 'with the mark'] as const

export interface PChart {
  clear(tokens: number): void
  /** ln p of one text after one more token. */
  add(side: 0 | 1, logP: number): void
  draw(): void
}

/** A round step that divides a range into at most five parts. */
function stepFor(range: number): number {
  const rough = range / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough)!
}

const ticks = (end: number, step: number): number[] =>
  Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step)

function powerLabel(exponent: number, x: number, y: number): SVGTextElement {
  const text = drawn('text', { x: `${x}`, y: `${y}`, 'text-anchor': 'end', class: 'tick' })
  if (exponent === 0) text.append('1')
  else text.append('10', drawn('tspan', { dy: '-5', class: 'power' }, `−${exponent}`))
  return text
}

export function pChart(figure: SVGSVGElement): PChart {
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
        powerLabel(exponent, MARGIN.left - 8, y(exponent) + 4),
      ]),
      ...ticks(longest, stepFor(longest)).map((t) =>
        drawn('text', { x: `${x(t)}`, y: `${HEIGHT - 16}`, 'text-anchor': 'middle', class: 'tick' }, `${t}`),
      ),
      drawn('text', { x: `${right}`, y: `${HEIGHT - 2}`, 'text-anchor': 'end', class: 'tick' }, 'tokens'),
      line([MARGIN.left, level], [right, level], 'level'),
      drawn('text', { x: `${right}`, y: `${level - 5}`, 'text-anchor': 'end', class: 'tick' }, '1%'),
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
  /** At most one drawing per frame, however fast tokens come. */
  const soon = (): void => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      draw()
    })
  }
  new ResizeObserver(soon).observe(figure)
  return {
    clear(tokens) {
      length = tokens
      for (const line of lines) line.length = 0
      soon()
    },
    add(side, logP) {
      lines[side].push(logP)
      soon()
    },
    draw,
  }
}
