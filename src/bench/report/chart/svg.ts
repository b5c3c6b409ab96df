/**
 * A chart as SVG: one function for files and for the page, which differ in width and colours only. Written here rather than taken
 * from a charting library because the same text must serve both: plain colours in a file, CSS variables, focus and filters on a
 * page, without a script to draw it.
 */
import { anchor, markup } from '../escape.ts'
import { darkInks, familiesOf, inks } from '../palette.ts'
import type { Chart, Layer } from '../report.ts'
import { type Canvas, type Drawing, fontSize, type Look } from './canvas.ts'
import { element, label, wrapped } from './draw.ts'
import { lines } from './lines.ts'
import { bars, boxes } from './rows.ts'
import { scatter } from './scatter.ts'

/** Widths of one and two columns of a paper, 3.33 and 7 inches, in pixels of 1/96 inch: letters of 12 pixels are of 9 points. */
export const columnWidths = { single: 320, double: 672 } as const

export interface SvgOptions {
  /** Pixels. Default: two columns of a paper. */
  readonly width?: number
  /** Default: plain colours on white. */
  readonly look?: Look
  /** Default: our points only. */
  readonly layers?: readonly Layer[]
  /** For a page: no visible title, marks that take the focus; ids begin with this. */
  readonly page?: string
  /** The id of a drawing of the same chart on the page, which has its description and the values of its marks. */
  readonly described?: string
}

/** Plain colours on white, for files. Families are those of the whole report, so that its charts agree. */
export function printLook(families: readonly string[]): Look {
  const ink = inks(families)
  return {
    ink: '#1b1f27',
    soft: '#59616e',
    faint: '#8a919d',
    grid: '#e4e4e7',
    ground: '#ffffff',
    colour: (family) => ink.get(family)?.light ?? '#59616e',
    shape: (family) => ink.get(family)?.shape ?? 'circle',
  }
}

/** Colours of files on a dark page, by those on a light one. */
const darkOf = new Map<string, string>([
  ['#1b1f27', '#e8eaf0'],
  ['#59616e', '#a8b0bd'],
  ['#8a919d', '#767e8b'],
  ['#e4e4e7', '#31363f'],
  ['#ffffff', '#14171c'],
  ...darkInks,
])

/** A style that a browser on a dark page uses for the colours of a drawing. */
function darkStyle(drawing: string): string {
  const used = [...darkOf].filter(([light]) => drawing.includes(`"${light}"`))
  const rules = used.map(
    ([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`,
  )
  return element('style', {}, `@media (prefers-color-scheme:dark){${rules.join('')}}`)
}

function draw(chart: Chart, canvas: Canvas): Drawing {
  switch (chart.kind) {
    case 'scatter':
      return scatter(chart, canvas)
    case 'lines':
      return lines(chart, canvas)
    case 'boxes':
      return boxes(chart, canvas)
    case 'bars':
      return bars(chart, canvas)
  }
}

/**
 * The SVG of a chart, with its title and what it shows in words for people who do not see it.
 *
 * @example
 * toSvg({ id: 'b', kind: 'bars', title: 'T', x: { label: 'm' }, y: { label: 'v' }, bars: [{ label: 'a', family: 'a', value: 1 }] })
 */
export function toSvg(chart: Chart, options: SvgOptions = {}): string {
  const {
    width = columnWidths.double,
    layers = ['ours'],
    page,
    described,
    look = printLook(familiesOf(chart)),
  } = options
  const margin = page === undefined ? 12 : 0
  const canvas = {
    width: width - 2 * margin,
    look,
    layers,
    interactive: page !== undefined,
    twin: described !== undefined,
  }
  // bold letters are a tenth wider
  const title = page === undefined ? wrapped(chart.title, 16.5, canvas.width) : []
  const { height, body, description } = draw(chart, canvas)
  const above = title.length * 20
  const id = anchor(page ?? chart.id)
  const whole = Math.ceil(height + above + 2 * margin)
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${whole}`,
      ...(page === undefined ? { width, height: whole } : {}),
      role: page === undefined ? 'img' : 'group',
      'aria-labelledby': `${id}-title ${described ?? id}-desc`,
      'font-family': page === undefined ? 'Helvetica, Arial, "DejaVu Sans", sans-serif' : undefined,
      'font-size': fontSize,
      fill: look.soft,
      ...(page === undefined || chart.kind !== 'lines'
        ? {}
        : { 'data-x': chart.x.label, 'data-y': chart.y.label }),
    },
    element('title', { id: `${id}-title` }, markup(chart.title)),
    ...(described === undefined ? [element('desc', { id: `${id}-desc` }, markup(description))] : []),
    ...(page === undefined
      ? [
          darkStyle(`"${look.ink}" "${look.ground}" "${look.soft}" ${body.join('')}`),
          element('rect', { width, height: whole, fill: look.ground }),
        ]
      : []),
    ...title.map((text, i) =>
      label(text, {
        x: margin,
        y: margin + 13 + 20 * i,
        'font-size': 15,
        'font-weight': 600,
        fill: look.ink,
      }),
    ),
    element('g', margin > 0 ? { transform: `translate(${margin} ${margin + above})` } : {}, ...body),
  )
}
