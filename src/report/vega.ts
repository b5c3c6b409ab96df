/** Charts as Vega-Lite: from a chart's data to a specification. Rendering is in svg.ts. */
import { familiesOf, inks } from './palette.ts'
import type { Axis, Chart } from './report.ts'

/** A Vega-Lite specification; kept loose, since only Vega-Lite itself knows its shape. */
export type Spec = { readonly [key: string]: unknown }

type Of<Kind extends Chart['kind']> = Extract<Chart, { kind: Kind }>

const axis = ({ label, scale = 'linear', domain, percent }: Axis) => ({
  title: label,
  axis: { ...(percent ? { format: '.0%' } : {}), ...(scale === 'log' ? { format: '~e', tickCount: 6 } : {}) },
  scale: {
    type: scale,
    ...(domain ? { domain, clamp: true } : {}),
    ...(scale === 'log' ? {} : { zero: false }),
  },
})

const colour = (items: readonly { readonly family: string }[], title = 'family') => {
  const families = familiesOf(items)
  const ink = inks(families)
  const range = families.map((family) => ink.get(family)!.light)
  return { field: 'family', type: 'nominal', title, scale: { domain: families, range } }
}

const shape = (items: readonly { readonly family: string }[]) => {
  const families = familiesOf(items)
  const ink = inks(families)
  return {
    field: 'family',
    type: 'nominal',
    scale: { domain: families, range: families.map((f) => ink.get(f)!.shape) },
  }
}

function scatter(chart: Of<'scatter'>): Spec {
  const points = chart.points.filter((point) => point.layer === undefined || point.layer === 'ours')
  const values = points.map(({ xRange, yRange, ...point }) => ({
    ...point,
    ...(xRange ? { xLow: xRange[0], xHigh: xRange[1] } : {}),
    ...(yRange ? { yLow: yRange[0], yHigh: yRange[1] } : {}),
  }))
  const x = { field: 'x', type: 'quantitative', ...axis(chart.x) }
  const y = { field: 'y', type: 'quantitative', ...axis(chart.y) }
  const size = points.some((point) => point.size !== undefined)
    ? {
        field: 'size',
        type: 'quantitative',
        title: chart.sizeLabel,
        scale: { domain: [0, 1], range: [40, 700] },
      }
    : { value: 90 }
  const whisker = { type: 'rule', opacity: 0.35 }
  return {
    width: 560,
    height: 420,
    data: { values },
    encoding: { color: colour(points) },
    layer: [
      {
        mark: whisker,
        encoding: { x: { field: 'xLow', type: 'quantitative', ...axis(chart.x) }, x2: { field: 'xHigh' }, y },
      },
      {
        mark: whisker,
        encoding: { y: { field: 'yLow', type: 'quantitative', ...axis(chart.y) }, y2: { field: 'yHigh' }, x },
      },
      { mark: { type: 'point', filled: true, opacity: 0.8 }, encoding: { x, y, size, shape: shape(points) } },
      { mark: { type: 'text', dy: -12, fontSize: 9 }, encoding: { x, y, text: { field: 'label' } } },
    ],
  }
}

function lines(chart: Of<'lines'>): Spec {
  const values = chart.series.flatMap(({ label, family, points }) =>
    points.map(([x, y, low = y, high = y]) => ({ label, family, x, y, low, high })),
  )
  return {
    width: 560,
    height: 380,
    data: { values },
    encoding: {
      x: { field: 'x', type: 'quantitative', ...axis(chart.x) },
      color: colour(chart.series),
      detail: { field: 'label', type: 'nominal' },
    },
    layer: [
      {
        mark: { type: 'area', opacity: 0.06 },
        encoding: { y: { field: 'low', type: 'quantitative', ...axis(chart.y) }, y2: { field: 'high' } },
      },
      {
        mark: { type: 'line', strokeWidth: 1.6 },
        encoding: { y: { field: 'y', type: 'quantitative', ...axis(chart.y) } },
      },
    ],
  }
}

function boxes(chart: Of<'boxes'>): Spec {
  const values = chart.boxes.map(({ five: [minimum, q1, median, q3, maximum], ...box }) => ({
    ...box,
    minimum,
    q1,
    median,
    q3,
    maximum,
  }))
  const y = (field: string) => ({ field, type: 'quantitative', ...axis(chart.y) })
  return {
    data: { values },
    facet: { column: { field: 'series', type: 'nominal', title: null, sort: null } },
    spec: {
      width: 190,
      height: 300,
      encoding: {
        x: {
          field: 'label',
          type: 'nominal',
          sort: null,
          title: null,
          axis: { labelAngle: -60, labelFontSize: 8 },
        },
        color: colour(chart.boxes),
      },
      layer: [
        { mark: { type: 'rule', opacity: 0.6 }, encoding: { y: y('minimum'), y2: { field: 'maximum' } } },
        { mark: { type: 'bar', size: 6, opacity: 0.75 }, encoding: { y: y('q1'), y2: { field: 'q3' } } },
        {
          mark: { type: 'tick', size: 8, thickness: 2, color: '#111827' },
          encoding: { y: y('median'), color: { value: '#111827' } },
        },
      ],
    },
  }
}

function bars(chart: Of<'bars'>): Spec {
  // A bar has no length on a logarithmic axis: there a point shows the value.
  const log = chart.y.scale === 'log'
  const body = log ? { type: 'point', filled: true, size: 90 } : { type: 'bar', opacity: 0.85 }
  const values = chart.bars.map(({ range, ...bar }) => ({
    ...bar,
    low: range?.[0] ?? bar.value,
    high: range?.[1] ?? bar.value,
  }))
  const x = {
    field: 'label',
    type: 'nominal',
    sort: null,
    title: chart.x.label,
    axis: { labelAngle: chart.bars.length > 6 ? -45 : 0 },
  }
  return {
    width: Math.max(320, 30 * values.length),
    height: 300,
    data: { values },
    encoding: { x },
    layer: [
      {
        mark: body,
        encoding: {
          y: { field: 'value', type: 'quantitative', ...axis(chart.y) },
          color: colour(chart.bars),
        },
      },
      {
        mark: { type: 'rule' },
        encoding: { y: { field: 'low', type: 'quantitative', ...axis(chart.y) }, y2: { field: 'high' } },
      },
      {
        mark: { type: 'point', shape: 'diamond', color: '#111827', filled: false },
        encoding: { y: { field: 'paper', type: 'quantitative', ...axis(chart.y) } },
      },
    ],
  }
}

/** The specification of a chart, with the project's look. */
export function toVegaLite(chart: Chart): Spec {
  const body = { scatter, lines, boxes, bars }[chart.kind] as (chart: Chart) => Spec
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: '#ffffff',
    padding: 12,
    title: { text: chart.title, anchor: 'start', fontSize: 14 },
    config: {
      font,
      view: { stroke: null },
      axis: { gridColor: '#e5e7eb', domainColor: '#9ca3af', tickColor: '#9ca3af' },
    },
    ...body(chart),
  }
}
