/**
 * `reports/index.html`: all reports on one page that needs no network. Charts are drawn and tables complete without a script; style
 * and script are inside, and a content security policy lets only those two run.
 */
import { readFileSync } from 'node:fs'
import type { Look } from './chart/canvas.ts'
import { toSvg } from './chart/svg.ts'
import { anchor, markup } from './escape.ts'
import { type Families, tableToHtml } from './html.ts'
import { familiesOfAll, type Ink, inks } from './palette.ts'
import { policyOf } from './policy.ts'
import type { Chart, Report } from './report.ts'
import { inPlaceOf } from './sentence.ts'

const asset = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

/** The page's modules as one script: in order of need, without the imports between them. */
const script = (): string =>
  ['tips.js', 'tables.js', 'main.js']
    .map(asset)
    .map((source) => source.replace(/^import .*\n/gm, '').replace(/^export /gm, ''))
    .join('\n')

const style = (): string => ['page.css', 'charts.css', 'tables.css', 'print.css'].map(asset).join('\n')

interface Theme extends Families {
  readonly look: Look
  readonly style: string
}

/** Colours by the number of a family: names never get into the style. */
function themeOf(reports: readonly Report[]): Theme {
  const ink = inks(familiesOfAll(reports))
  const numbers = new Map([...ink.keys()].map((family, i) => [family, i]))
  const methods = new Set(reports.flatMap((report) => (report.methods ?? []).map(({ family }) => family)))
  const rules = (scheme: (one: Ink) => string) =>
    [...ink.values()].map((one, i) => `.f-${i}{--family:${scheme(one)}}`).join('')
  const light = rules(({ light }) => light)
  const dark = rules(({ dark }) => dark)
  return {
    number: (family) => numbers.get(family),
    isMethod: (family) => methods.has(family),
    style: `${light}@media (prefers-color-scheme:dark){${dark}}@media print{${light}}`,
    look: {
      ink: 'var(--ink)',
      soft: 'var(--soft)',
      faint: 'var(--faint)',
      grid: 'var(--grid)',
      ground: 'var(--card)',
      colour: (family) => (numbers.has(family) ? 'var(--family)' : 'var(--soft)'),
      shape: (family) => ink.get(family)?.shape ?? 'circle',
      className: (family) => `f-${numbers.get(family) ?? 'none'}`,
    },
  }
}

const list = (items: readonly string[]): string =>
  items.length > 0
    ? `<ul class="findings">${items.map((item) => `<li>${markup(item)}</li>`).join('')}</ul>`
    : ''

/** Widths at which charts are drawn: one for desks, one for phones; the style shows the one that fits. */
const widths = { desk: 1040, phone: 340 } as const

function figure(report: Report, chart: Chart, theme: Theme, files: boolean): string {
  const id = `${anchor(report.name)}-${anchor(chart.id)}`
  const both = chart.kind === 'scatter' && chart.points.some((point) => point.layer === 'paper')
  const tools = both
    ? `<div class="tools"><button class="chip" type="button" data-paper="${id}" aria-pressed="false">show the paper's figures (dashed)</button></div>`
    : ''
  const caption = chart.caption ? `<figcaption>${markup(chart.caption)}</figcaption>` : ''
  const drawn = Object.entries(widths).map(([name, width]) => {
    const svg = toSvg(chart, { width, look: theme.look, layers: ['ours', 'paper'], page: `${id}-${name}` })
    return `<div class="${name}">${svg}</div>`
  })
  return `<figure class="card" id="${id}">${files ? `<a class="file" href="${id}.svg">SVG</a>` : ''}<h3>${markup(chart.title)}</h3>${caption}${tools}
<div class="plot">${drawn.join('\n')}</div></figure>`
}

/** The report whose chart heads the page. */
const leader = (reports: readonly Report[]): { report: Report; chart: Chart } | undefined =>
  reports
    .flatMap((report) => {
      const chart = report.charts.find(({ id }) => id === report.headline?.chart)
      return chart ? [{ report, chart }] : []
    })
    .at(0)

function section(report: Report, theme: Theme, above: Chart | undefined, linked: boolean): string {
  const name = anchor(report.name)
  const standIns = report.standIns.map((standIn) => `<li>${markup(inPlaceOf(standIn))}</li>`)
  const provenance = Object.entries(report.provenance).map(
    ([key, value]) => `<dt>${markup(key)}</dt><dd>${markup(value)}</dd>`,
  )
  const files = ['csv', 'tex', 'md', 'json'].map(
    (kind) => `<a href="${name}.${kind}">${kind === 'tex' ? 'TeX' : kind.toUpperCase()}</a>`,
  )
  const shown = above
    ? `<p class="aside"><a href="#${name}-${anchor(above.id)}">${markup(above.title)}</a> is at the head of this page.</p>`
    : ''
  const charts = report.charts.filter((chart) => chart !== above)
  const empty = report.charts.length + report.tables.length === 0 ? '<p>This report is empty.</p>' : ''
  return `<section id="${name}"><h2>${markup(report.title)}</h2>
${linked ? `<p class="files">${files.join(' ')}</p>` : ''}
${list(report.summary)}
${standIns.length > 0 ? `<details class="stand-ins"><summary>What differs from the paper's set-up</summary><ul>${standIns.join('')}</ul></details>` : ''}
${empty}${shown}${charts.map((chart) => figure(report, chart, theme, linked)).join('\n')}
${report.tables.map((table) => tableToHtml(table, `${name}-${anchor(table.id)}-table`, theme)).join('\n')}
${report.notes.length > 0 ? `<details><summary>How it was done</summary>${list(report.notes)}</details>` : ''}
<details><summary>Provenance</summary><dl class="provenance">${provenance.join('')}</dl></details>
</section>`
}

/** What was run, and on which model: the scales, and the first stand-in that the reports of a scale share. */
function setUp(reports: readonly Report[]): string {
  const own = reports.filter((report) => report.headline && report.standIns.length > 0)
  const scales = new Map(own.map((report) => [report.scale, report.standIns[0]!]))
  return [...scales]
    .map(
      ([scale, standIn]) =>
        `<p class="aside">Run at the scale "${markup(scale)}": ${markup(inPlaceOf(standIn))}.</p>`,
    )
    .join('')
}

/** What the reports say in a sentence each, with a link to the rest. */
function headlines(reports: readonly Report[]): string {
  const items = reports.flatMap(({ name, title, headline }) =>
    headline
      ? [
          `<li>${markup(headline.sentence)} <a href="#${anchor(name)}">${markup(title.split(':')[0]!)}</a></li>`,
        ]
      : [],
  )
  return items.length === 0 ? '' : `<ul class="findings">${items.join('\n')}</ul>`
}

/** Filters: the methods of all reports, by the names that the first of them gives. */
function chips(reports: readonly Report[], theme: Theme): string {
  const names = new Map<string, string>()
  for (const { family, label } of reports.flatMap((report) => report.methods ?? []))
    if (!names.has(family)) names.set(family, label)
  if (names.size < 2) return ''
  const buttons = [...names].map(([family, label]) => {
    const number = theme.number(family)
    return `<button class="chip" type="button" data-family="${number}" aria-pressed="true"><i class="swatch f-${number}"></i>${markup(label)}</button>`
  })
  return `<div class="filter" role="group" aria-label="Methods shown"><span class="caption">methods</span>${buttons.join('')}</div>`
}

export interface PageOptions {
  readonly title?: string
  readonly lead?: string
  /** Whether the page links to the files of its reports, which lie beside it; default true. */
  readonly files?: boolean
}

/** The page of a set of reports, in the order given. */
export function toPage(reports: readonly Report[], options: PageOptions = {}): string {
  const { title = 'Unbiased watermarks, measured', files = true } = options
  const lead =
    options.lead ??
    'Every table and figure of the paper, run again with this package: what came out, how sure we can be of it, and where it differs from what was published.'
  const theme = themeOf(reports)
  const first = leader(reports)
  const css = `${style()}${theme.style}`
  const js = script()
  const policy = policyOf(css, js)
  const nav = reports.map(
    (report) => `<a href="#${anchor(report.name)}">${markup(report.title.split(':')[0]!)}</a>`,
  )
  const others = reports.filter((report) => report !== first?.report)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${markup(title)}</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body>
<header>
<h1>${markup(title)}</h1>
<p class="lead">${markup(lead)}</p>
${first ? `<p class="headline">${markup(first.report.headline!.sentence)}</p>${figure(first.report, first.chart, theme, files)}` : ''}
${setUp(reports)}
${reports.length === 0 ? '<p>There are no reports here yet.</p>' : headlines(others)}
</header>
<div class="bar"><div class="bar-inner"><nav aria-label="Reports">${nav.join('')}</nav>
${chips(reports, theme)}</div></div>
<main>
${reports.map((report) => section(report, theme, report === first?.report ? first.chart : undefined, files)).join('\n')}
</main>
<footer>Intervals are 95% confidence intervals. Hover or focus a number or a mark for details; click a heading to sort.</footer>
<div id="tip" role="status"></div>
<script type="module">${js}</script>
</body>
</html>
`
}
