/** A chart of a page, drawn for desks and for phones, with what a reader can do with it. */
import { toSvg } from './chart/svg.ts'
import { anchor, markup } from './escape.ts'
import type { Theme } from './palette.ts'
import type { Chart, ChartOf, Report } from './report.ts'

/** Widths at which charts are drawn; the style shows the one that fits. */
const widths = { desk: 1040, phone: 340 } as const

/** Curves with more points than this are not read off point by point. */
const MAX_READ = 24

/** The next number below of 1, 2 or 5 times a power of ten. */
function roundDown(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x))
  return (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1) * power
}

/** The same curves over a logarithmic axis, where a share begins at 0: what lies below 1% is a line on the edge otherwise. */
function logTwin(chart: Chart): Chart | undefined {
  if (chart.kind !== 'lines' || !chart.x.percent || chart.x.scale === 'log') return undefined
  const shares = chart.series.flatMap(({ points }) => points.map(([x]) => x)).filter((x) => x > 0)
  const [least, most] = [Math.min(...shares), Math.max(...shares)]
  if (!(least < 0.1 && most > least)) return undefined
  const { diagonal: _, ...rest } = chart
  const inside = (series: ChartOf<'lines'>['series'][number]) => {
    const right = series.points.filter(([x]) => x > least)
    const height = series.points.filter(([x]) => x <= least).at(-1)?.[1]
    return { ...series, points: height === undefined ? right : [[least, height] as const, ...right] }
  }
  return {
    ...rest,
    x: { ...chart.x, scale: 'log', domain: [roundDown(least), most] },
    series: chart.series.map(inside),
  }
}

/** Tells whether the values of all curves at one place can be listed. */
const isReadable = (chart: Chart): boolean =>
  chart.kind === 'lines' &&
  chart.series.length > 1 &&
  chart.series.every(({ points }) => points.length <= MAX_READ)

const toggle = (name: string, id: string, text: string): string =>
  `<button class="chip" type="button" data-${name}="${id}" aria-pressed="false">${text}</button>`

/** The place of a chart on its page. */
export interface Standing {
  /** True: its file lies beside the page. */
  readonly linked: boolean
  /** Classes of the views that show it; those of the head of the page stand above their caption. */
  readonly views: string
  readonly first?: boolean
}

export function figure(
  report: Report,
  chart: Chart,
  theme: Theme,
  { linked, views, first = false }: Standing,
): string {
  const id = `${anchor(report.name)}-${anchor(chart.id)}`
  const twin = logTwin(chart)
  const both = chart.kind === 'scatter' && chart.points.some((point) => point.layer === 'paper')
  const tools = [
    ...(both ? [toggle('paper', id, "show the paper's figures (dashed)")] : []),
    ...(twin ? [toggle('log', id, 'logarithmic axis')] : []),
    ...(isReadable(chart)
      ? [`<label>values at ${markup(chart.x.label)} <select data-read="${id}"></select></label>`]
      : []),
  ]
  const caption = chart.caption ? `<figcaption>${markup(chart.caption)}</figcaption>` : ''
  const draw = (one: Chart, kind: string) =>
    Object.entries(widths).map(([name, width]) => {
      const of = (drawing: string) => `${id}-${drawing}${kind === '' ? '' : '-log'}`
      const [page, described] = [of(name), name === 'desk' ? {} : { described: of('desk') }]
      const svg = toSvg(one, { width, look: theme.look, layers: ['ours', 'paper'], page, ...described })
      return `<div class="${name}${kind}">${svg}</div>`
    })
  const drawn = [...draw(chart, ''), ...(twin ? draw(twin, ' log') : [])]
  const file = linked ? `<a class="file" href="${id}.svg">SVG</a>` : ''
  return `<figure class="card${views}" id="${id}">${file}<h3>${markup(chart.title)}</h3>${first ? '' : caption}${tools.length > 0 ? `<div class="tools">${tools.join('')}</div>` : ''}
<div class="plot">${drawn.join('\n')}</div>${isReadable(chart) ? '<div class="read"></div>' : ''}${first ? caption : ''}</figure>`
}
