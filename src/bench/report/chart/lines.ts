/** Curves with a legend: families differ in colour, the variants of one family in their dashes. */
import type { ChartOf, Series } from '../report.ts'
import { axisHeight, plane } from './axes.ts'
import { type Canvas, classes, type Drawing, fontSize, mark, outline, painted } from './canvas.ts'
import { at, element, label, textWidth, through } from './draw.ts'
import { readable, type Scale } from './scale.ts'

const dashes = [
  undefined,
  '7 3',
  '2 3',
  '9 3 2 3',
  '1 5',
  '12 4',
  '5 2 1 2 1 2',
  '3 6',
  '14 3 3 3 3 3',
  '16 8',
]

/** Curves with more points than this have none of them marked. */
const MAX_MARKED = 12

/** The dashes of each curve: the first of a family is solid. */
function dashOf(series: readonly Series[]): (string | undefined)[] {
  const seen = new Map<string, number>()
  return series.map(({ family }) => {
    const nth = seen.get(family) ?? 0
    seen.set(family, nth + 1)
    return dashes[nth % dashes.length]
  })
}

/** Pixels and values of a curve for the script of the page: `x,y,low,high` per point. */
const valuesOf = (chart: ChartOf<'lines'>, points: Series['points']): string =>
  points
    .map(([x, ...ys]) => [readable(x, chart.x), ...ys.map((y) => readable(y, chart.y))].join(','))
    .join(' ')

/** The points of a long curve without those inside a level or upright stretch: it looks the same. */
function corners(points: Series['points']): Series['points'] {
  const isStraight = (i: number) =>
    ([0, 1] as const).some((k) => points[i - 1]![k] === points[i]![k] && points[i]![k] === points[i + 1]![k])
  const last = points.length - 1
  return last < MAX_MARKED ? points : points.filter((_, i) => i === 0 || i === last || !isStraight(i))
}

const strokeOf = (stroke: string) => ({
  fill: 'none',
  stroke,
  'stroke-width': 1.7,
  'stroke-linejoin': 'round',
})

function curve(
  canvas: Canvas,
  chart: ChartOf<'lines'>,
  series: Series,
  dash: string | undefined,
  [x, y]: readonly [Scale, Scale],
): string {
  const { look } = canvas
  const colour = look.colour(series.family)
  const turns = corners(series.points)
  const path = through(turns.map((p) => [x(p[0]), y(p[1])]))
  const edge = (end: 2 | 3) => series.points.map((p) => [x(p[0]), y(p[end] ?? p[1])] as const)
  const band = series.points.some((p) => p.length > 2)
    ? [element('path', { class: 'band', d: `${through([...edge(3), ...edge(2).reverse()])}Z` })]
    : []
  const dots =
    series.points.length <= MAX_MARKED
      ? series.points.map((p) => outline(look.shape(series.family), 3, x(p[0]), y(p[1])))
      : []
  const values = [series.label]
  const drawn = [
    element('path', { d: path, 'stroke-dasharray': dash, ...painted(canvas, 'line', strokeOf(colour)) }),
    ...(dots.length > 0
      ? [element('path', { d: dots.join(''), ...painted(canvas, 'dots', { fill: colour }) })]
      : []),
  ]
  return canvas.interactive
    ? mark(canvas, series, values, [...band, ...drawn], {
        'data-values': valuesOf(chart, turns),
      })
    : mark(canvas, series, values, drawn)
}

/** Names with a stroke of each, in columns. */
function legend(canvas: Canvas, series: readonly Series[], left: number, top: number) {
  const widest = Math.max(0, ...series.map((s) => textWidth(s.label, fontSize)))
  const column = widest + 48
  const columns = Math.max(1, Math.floor((canvas.width - left + 14) / column))
  const rows = Math.ceil(series.length / columns)
  const dash = dashOf(series)
  const entries = series.map((s, i) => {
    const [x, y] = [left + Math.floor(i / rows) * column, top + (i % rows) * 18]
    const colour = canvas.look.colour(s.family)
    const stroke = { 'stroke-dasharray': dash[i], ...painted(canvas, 'line', strokeOf(colour)) }
    const dot = outline(canvas.look.shape(s.family), 3, x + 13, y + 5)
    return element(
      'g',
      { class: classes(canvas, s.family, 'key') },
      element('path', { d: `M${at(x, y + 5)}h26`, ...stroke }),
      s.points.length > MAX_MARKED
        ? ''
        : element('path', { d: dot, ...painted(canvas, 'dots', { fill: colour }) }),
      label(s.label, { x: x + 33, y: y + 9 }),
    )
  })
  const key = element('g', { 'aria-hidden': 'true', fill: canvas.look.ink }, ...entries)
  return { key, height: 18 * rows }
}

export function lines(chart: ChartOf<'lines'>, canvas: Canvas): Drawing {
  const { series } = chart
  const height = Math.min(420, Math.max(280, canvas.width * 0.48))
  const points = series.flatMap((s) => s.points)
  const ys = points.flatMap((p) => (canvas.interactive ? p.slice(1) : [p[1]]))
  const { frame, x, y, body } = plane(
    canvas,
    chart,
    points.map((p) => p[0]),
    ys as number[],
    height,
  )
  const dash = dashOf(series)
  const bottom = frame.top + height + axisHeight
  const { key, height: under } = legend(canvas, series, canvas.width < 400 ? 0 : frame.left, bottom + 6)
  const said = series.map(({ label: name, points: list }) => {
    const [first, last] = [list[0], list.at(-1)]
    if (!first || !last) return `${name}: no points`
    const at = (p: Series['points'][number]) => `${readable(p[1], chart.y)} at ${readable(p[0], chart.x)}`
    return `${name}: ${at(first)}, ${at(last)}`
  })
  return {
    height: bottom + 6 + under,
    body: [...body, ...series.map((s, index) => curve(canvas, chart, s, dash[index], [x, y])), key],
    description: `${chart.y.label} against ${chart.x.label}, first and last point of each curve. ${said.join('. ')}.`,
  }
}
