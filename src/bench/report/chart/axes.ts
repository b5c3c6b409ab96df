/** Axes with their grid lines, numbers and titles. */
import type { Axis } from '../report.ts'
import { type Canvas, fontSize } from './canvas.ts'
import { at, element, fitted, label, shown, textWidth } from './draw.ts'
import { readable, type Scale, scaleOf } from './scale.ts'

/** The rectangle of the data, in pixels. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Room below a frame for numbers and title. */
export const axisHeight = 46

/** Ticks whose numbers do not run into each other; the first and the last stay. */
function roomyTicks(scale: Scale, axis: Axis): number[] {
  const size = (tick: number) => textWidth(readable(tick, axis), fontSize) + 10
  const kept: number[] = []
  for (const tick of scale.ticks) {
    const last = kept.at(-1)
    if (last === undefined || Math.abs(scale(tick) - scale(last)) >= (size(tick) + size(last)) / 2)
      kept.push(tick)
  }
  return kept
}

/** The axis below a frame: vertical grid lines, numbers and a title. */
export function axisBelow(canvas: Canvas, axis: Axis, x: Scale, frame: Frame): string[] {
  const { look } = canvas
  const bottom = frame.top + frame.height
  const ticks = roomyTicks(x, axis)
  const grid = ticks.map((tick) => `M${at(x(tick), frame.top)}V${shown(bottom)}`)
  const numbers = ticks.map((tick) => label(readable(tick, axis), { x: x(tick), y: bottom + 17 }))
  const title = fitted(axis.label, fontSize, canvas.width)
  const half = textWidth(title, fontSize) / 2
  const middle = Math.max(half, Math.min(frame.left + frame.width / 2, canvas.width - half))
  const names = [...numbers, label(title, { x: middle, y: bottom + 37, fill: look.ink })]
  return [
    element('path', { d: grid.join(''), stroke: look.grid }),
    element('g', { 'text-anchor': 'middle' }, ...names),
  ]
}

/** The axis beside a frame: horizontal grid lines, numbers and a title that reads upward. */
function axisBeside(canvas: Canvas, axis: Axis, y: Scale, frame: Frame): string[] {
  const { look } = canvas
  const right = frame.left + frame.width
  const grid = y.ticks.map((tick) => `M${at(frame.left, y(tick))}H${shown(right)}`)
  const numbers = y.ticks.map((tick) => label(readable(tick, axis), { x: frame.left - 8, y: y(tick) + 4 }))
  const turn = `translate(${fontSize} ${frame.top + frame.height / 2}) rotate(-90)`
  const title = fitted(axis.label, fontSize, frame.height + 2 * frame.top)
  return [
    element('path', { d: grid.join(''), stroke: look.grid }),
    element('g', { 'text-anchor': 'end' }, ...numbers),
    label(title, { transform: turn, 'text-anchor': 'middle', fill: look.ink }),
  ]
}

export interface Plane {
  readonly frame: Frame
  readonly x: Scale
  readonly y: Scale
  /** Both axes, and the diagonal where there is one. */
  readonly body: readonly string[]
}

/** A plane with two axes, as wide as the canvas. */
export function plane(
  canvas: Canvas,
  chart: { readonly x: Axis; readonly y: Axis; readonly diagonal?: true },
  xs: readonly number[],
  ys: readonly number[],
  height: number,
): Plane {
  const widest = Math.max(
    ...scaleOf(ys, chart.y, [0, 1]).ticks.map((t) => textWidth(readable(t, chart.y), fontSize)),
    0,
  )
  const left = Math.ceil(widest) + 12 + 2 * fontSize
  const frame: Frame = { left, top: 10, width: canvas.width - left - 22, height }
  const x = scaleOf(xs, chart.x, [left, left + frame.width], frame.width > 400 ? 8 : 5)
  const y = scaleOf(ys, chart.y, [frame.top + height, frame.top])
  const body = [...axisBelow(canvas, chart.x, x, frame), ...axisBeside(canvas, chart.y, y, frame)]
  if (chart.diagonal) {
    const ends = [...(chart.x.domain ?? [0, 1])]
    const points = ends.map((v) => at(x(v), y(v)))
    body.push(
      element('path', { d: `M${points.join('L')}`, stroke: canvas.look.faint, 'stroke-dasharray': '2 4' }),
    )
  }
  return { frame, x, y, body }
}
