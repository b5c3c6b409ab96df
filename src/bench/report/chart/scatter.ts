/** Points in a plane, each with its name; sizes and intervals where they are known. */
import type { ChartOf, Point } from '../report.ts'
import { axisHeight, type Frame, plane } from './axes.ts'
import { type Canvas, classes, type Drawing, mark, outline, painted } from './canvas.ts'
import { at, element, label, line } from './draw.ts'
import { type Named, placeNames } from './names.ts'
import { readable, readableRange, type Scale } from './scale.ts'

const nameSize = 11

const radius = ({ size }: Point): number => (size === undefined ? 6 : 4 + 12 * Math.sqrt(Math.max(0, size)))

/** The values of a point, line by line. */
function valuesOf(chart: ChartOf<'scatter'>, p: Point): string[] {
  return [
    `${p.label}${p.layer === 'paper' ? ' (paper)' : ''}`,
    `${chart.x.label}: ${readable(p.x, chart.x)}${readableRange(p.xRange, chart.x)}`,
    `${chart.y.label}: ${readable(p.y, chart.y)}${readableRange(p.yRange, chart.y)}`,
    ...(p.size === undefined ? [] : [`${chart.sizeLabel ?? 'size'}: ${readable(p.size)}`]),
    ...(p.hollow ? ['biased'] : []),
  ]
}

function markOf(canvas: Canvas, chart: ChartOf<'scatter'>, p: Point, x: Scale, y: Scale): string {
  const { look } = canvas
  const colour = look.colour(p.family)
  const range = painted(canvas, 'error', { stroke: colour, 'stroke-opacity': 0.45 })
  const body =
    p.layer === 'paper'
      ? painted(canvas, 'theirs', { fill: 'none', stroke: colour, 'stroke-dasharray': '3 2' })
      : p.hollow
        ? painted(canvas, 'hollow', {
            fill: look.ground,
            'fill-opacity': 0.6,
            stroke: colour,
            'stroke-width': 1.8,
          })
        : painted(canvas, 'body', { fill: colour, 'fill-opacity': 0.75, stroke: look.ground })
  return mark(canvas, p, valuesOf(chart, p), [
    ...(p.xRange ? [line(x(p.xRange[0]), y(p.y), x(p.xRange[1]), y(p.y), range)] : []),
    ...(p.yRange ? [line(x(p.x), y(p.yRange[0]), x(p.x), y(p.yRange[1]), range)] : []),
    element('path', {
      d: outline(look.shape(p.family), radius(p)),
      transform: `translate(${at(x(p.x), y(p.y))})`,
      ...body,
    }),
  ])
}

/** Lines from our points to the paper's of the same name. */
function links(canvas: Canvas, points: readonly Point[], x: Scale, y: Scale): string[] {
  const ours = new Map(points.filter((p) => p.layer !== 'paper').map((p) => [p.label, p]))
  return points
    .filter((p) => p.layer === 'paper')
    .flatMap((p) => {
      const own = ours.get(p.label)
      if (!own) return []
      const look = { class: classes(canvas, p.family, 'paper'), stroke: canvas.look.faint }
      return [line(x(own.x), y(own.y), x(p.x), y(p.y), { ...look, 'stroke-width': 0.8 })]
    })
}

/** Points that lie on one spot share a place for their names. */
function spots(points: readonly Point[], x: Scale, y: Scale): Map<Named, readonly Point[]> {
  const groups = new Map<string, Point[]>()
  for (const p of points) {
    const key = `${Math.round(x(p.x) / 2)} ${Math.round(y(p.y) / 2)}`
    groups.set(key, [...(groups.get(key) ?? []), p])
  }
  return new Map(
    [...groups.values()].map((group) => {
      const [first] = group
      const r = 1.1 * Math.max(...group.map(radius))
      return [{ x: x(first!.x), y: y(first!.y), r, lines: group.map((p) => p.label) }, group]
    }),
  )
}

function namesOf(canvas: Canvas, points: readonly Point[], x: Scale, y: Scale, frame: Frame): string[] {
  const { look } = canvas
  const groups = spots(points, x, y)
  const bounds = [frame.left + 2, 0, canvas.width, frame.top + frame.height] as const
  const halo = { stroke: look.ground, 'stroke-width': 3, 'paint-order': 'stroke', fill: look.ink }
  const names = [...placeNames([...groups.keys()], bounds, nameSize)].flatMap(
    ([named, { lines, leader }]) => [
      leader ? line(...leader, { stroke: look.faint, 'stroke-width': 0.7 }) : '',
      ...lines.map(({ text, x, y }, i) =>
        label(text, { class: classes(canvas, groups.get(named)![i]!.family, 'name'), x, y }),
      ),
    ],
  )
  return names.length > 0
    ? [element('g', { 'font-size': nameSize, 'aria-hidden': 'true', ...halo }, ...names)]
    : []
}

/** A shaded range of x; the caption says what it is. */
function bandOf(canvas: Canvas, { band }: ChartOf<'scatter'>, x: Scale, frame: Frame): string[] {
  if (!band) return []
  const [left, right] = band.x.map((value) =>
    Math.max(frame.left, Math.min(frame.left + frame.width, x(value))),
  )
  if (left === undefined || right === undefined || !(right > left)) return []
  const { faint } = canvas.look
  return [
    element('rect', {
      x: left,
      y: frame.top,
      width: right - left,
      height: frame.height,
      fill: faint,
      'fill-opacity': 0.16,
    }),
  ]
}

export function scatter(chart: ChartOf<'scatter'>, canvas: Canvas): Drawing {
  const points = chart.points.filter((p) => canvas.layers.includes(p.layer ?? 'ours'))
  const height = Math.min(440, Math.max(400, canvas.width * 0.56))
  const xs = points.flatMap((p) => [p.x, ...(p.xRange ?? [])])
  const ys = points.flatMap((p) => [p.y, ...(p.yRange ?? [])])
  const { frame, x, y, body } = plane(canvas, chart, xs, ys, height)
  const bySize = [...points].sort((a, b) => (b.size ?? 0) - (a.size ?? 0))
  const ours = bySize.filter((p) => p.layer !== 'paper')
  const said = points.map((p) => valuesOf(chart, p).join(', '))
  return {
    height: frame.top + height + axisHeight,
    body: [
      ...bandOf(canvas, chart, x, frame),
      ...body,
      ...links(canvas, points, x, y),
      ...bySize.map((p) => markOf(canvas, chart, p, x, y)),
      ...namesOf(canvas, ours, x, y, frame),
    ],
    description: `${chart.y.label} against ${chart.x.label}. ${chart.band ? `Shaded, ${chart.band.label}: ${chart.x.label} from ${chart.band.x.map((value) => readable(value, chart.x)).join(' to ')}. ` : ''}${said.join('. ')}.`,
  }
}
