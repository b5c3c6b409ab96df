/** One row per name and one panel per group, beside each other where there is room: box plots and bars. */
import type { Axis, Bar, Box, ChartOf } from '../report.ts'
import { axisBelow, axisHeight } from './axes.ts'
import { type Canvas, classes, type Drawing, fontSize, mark, outline, painted } from './canvas.ts'
import { at, element, fitted, label, line, textWidth } from './draw.ts'
import { readable, readableRange, type Scale, scaleOf } from './scale.ts'

const rowHeight = 20
/** The narrowest panel that shows anything. */
const MIN_PANEL = 130

interface Item {
  readonly label: string
  readonly family: string
}

interface Rows<T extends Item> {
  /** A value that all rows are compared with. */
  readonly line?: number | undefined
  readonly axis: Axis
  readonly panels: readonly { readonly title: string; readonly items: readonly T[] }[]
  readonly values: readonly number[]
  draw(item: T, panelTitle: string, x: Scale, y: number): string
}

/** Lays out panels; each has its own names where panels do not lie side by side. */
function rows<T extends Item>(canvas: Canvas, { axis, panels, values, line: all, draw }: Rows<T>): Drawing {
  const names = [...new Map(panels.flatMap(({ items }) => items.map((item) => [item.label, item]))).values()]
  const size = canvas.width < 400 ? 11 : fontSize
  const widest = Math.max(0, ...names.map((name) => textWidth(name.label, size)))
  const left = Math.ceil(Math.min(widest, canvas.width * 0.56)) + 14
  const most = Math.max(1, Math.floor((canvas.width - left) / MIN_PANEL))
  const across = Math.ceil(panels.length / Math.ceil(panels.length / most)) || 1
  const width = (canvas.width - left) / across
  const height = names.length * rowHeight + 8
  const titled = panels.some(({ title }) => title !== '') ? 24 : 4
  const block = titled + height + axisHeight + 8
  const body = panels.flatMap(({ title, items }, i) => {
    const top = Math.floor(i / across) * block + titled
    const start = left + (i % across) * width
    const frame = { left: start, top, width: width - 20, height }
    const x = scaleOf(values, axis, [start + 6, start + frame.width - 6], Math.max(3, Math.floor(width / 70)))
    const rowAt = (name: string) => top + 4 + (names.findIndex((n) => n.label === name) + 0.5) * rowHeight
    const shown = i % across === 0 ? names : []
    return [
      ...axisBelow(canvas, axis, x, frame),
      titled > 4 ? label(title, { x: start + 6, y: top - 8, fill: canvas.look.ink, 'font-weight': 600 }) : '',
      ...shown.map((name) =>
        label(fitted(name.label, size, left - 12), {
          class: classes(canvas, name.family, 'name'),
          'font-size': size,
          x: left - 8,
          y: rowAt(name.label) + 4,
          'text-anchor': 'end',
          fill: canvas.look.ink,
        }),
      ),
      ...items.map((item) => draw(item, title, x, rowAt(item.label))),
      all === undefined
        ? ''
        : line(x(all), top, x(all), top + height, { stroke: canvas.look.ink, 'stroke-dasharray': '4 3' }),
    ]
  })
  return { height: Math.max(1, Math.ceil(panels.length / across)) * block, body, description: '' }
}

/** A filled block between two ends of a row, at least `least` pixels wide. */
const block = (canvas: Canvas, ends: readonly [number, number], least: number, y: number, colour: string) =>
  element('rect', {
    x: Math.min(...ends),
    width: Math.max(least, Math.abs(ends[1] - ends[0])),
    y: y - 6,
    ...painted(canvas, 'block', { height: 12, rx: 2, fill: colour, 'fill-opacity': 0.75 }),
  })

export function boxes(chart: ChartOf<'boxes'>, canvas: Canvas): Drawing {
  const titles = [...new Set(chart.boxes.map((box) => box.series))]
  const draw = (box: Box, panel: string, x: Scale, y: number): string => {
    const colour = canvas.look.colour(box.family)
    const [minimum, q1, median, q3, maximum] = box.five
    const range = { stroke: colour, 'stroke-opacity': 0.55, 'stroke-width': 1.2 }
    const gap = { stroke: canvas.look.ground, 'stroke-width': 2 }
    const value = (name: string, v: number) => `${name}: ${readable(v, chart.y)}`
    return mark(
      canvas,
      box,
      [
        `${box.label}, ${panel}`,
        value('largest', maximum),
        value('upper quartile', q3),
        value('median', median),
        value('lower quartile', q1),
        value('smallest', minimum),
      ],
      [
        line(x(minimum), y, x(maximum), y, painted(canvas, 'range', range)),
        block(canvas, [x(q1), x(q3)], 1, y, colour),
        line(x(median), y - 6, x(median), y + 6, painted(canvas, 'gap', gap)),
      ],
    )
  }
  const drawing = rows(canvas, {
    axis: chart.y,
    panels: titles.map((title) => ({ title, items: chart.boxes.filter((box) => box.series === title) })),
    values: chart.boxes.flatMap((box) => box.five),
    draw,
  })
  const said = chart.boxes.map((b) => `${b.label}, ${b.series}: ${readable(b.five[2], chart.y)}`)
  return { ...drawing, description: `Medians of ${chart.y.label}. ${said.join('. ')}.` }
}

export function bars(chart: ChartOf<'bars'>, canvas: Canvas): Drawing {
  const log = chart.y.scale === 'log'
  const values = chart.bars.flatMap((b) => [
    b.value,
    ...(b.range ?? []),
    ...(b.paper === undefined ? [] : [b.paper]),
  ])
  const said = (b: Bar) =>
    `${readable(b.value, chart.y)}${readableRange(b.range, chart.y)}${
      b.paper === undefined ? '' : ` (paper: ${readable(b.paper, chart.y)})`
    }`
  const draw = (bar: Bar, _: string, x: Scale, y: number): string => {
    const colour = canvas.look.colour(bar.family)
    // a bar has no length on a logarithmic axis: there a mark shows the value
    const zero = log ? x(Number.MIN_VALUE) : x(0)
    const body = log
      ? element('path', {
          d: outline(canvas.look.shape(bar.family), 5),
          ...painted(canvas, 'dots', { fill: colour }),
          transform: `translate(${at(x(bar.value), y)})`,
        })
      : block(canvas, [zero, x(bar.value)], 1.5, y, colour)
    return mark(
      canvas,
      bar,
      [bar.label, `${chart.y.label}: ${said(bar)}`],
      [
        ...(log ? [line(zero, y, x(bar.value), y, { stroke: colour, 'stroke-opacity': 0.3 })] : []),
        body,
        ...(bar.range ? [line(x(bar.range[0]), y, x(bar.range[1]), y, { stroke: canvas.look.ink })] : []),
        ...(bar.paper === undefined
          ? []
          : [
              element('path', {
                d: outline('diamond', 4),
                fill: canvas.look.ground,
                stroke: canvas.look.ink,
                transform: `translate(${at(x(bar.paper), y)})`,
              }),
            ]),
      ],
    )
  }
  const drawing = rows(canvas, {
    axis: chart.y,
    panels: [{ title: '', items: chart.bars }],
    values: log ? values : [...values, 0, ...(chart.line === undefined ? [] : [chart.line])],
    line: chart.line,
    draw,
  })
  return {
    ...drawing,
    description: `${chart.y.label}. ${chart.bars.map((b) => `${b.label}: ${said(b)}`).join('. ')}.`,
  }
}
