/**
 * `reports/index.html`: all reports on one page that needs no network: style, script and data are inside. Summary first, then
 * every report with its charts and tables.
 */
import { readFileSync } from 'node:fs'
import { escapeHtml, familyClass, tableToHtml } from './html.ts'
import { type Ink, inks } from './palette.ts'
import type { Chart, Report } from './report.ts'

const asset = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

/** The page's modules as one script: in order of need, without the imports between them. */
function script(): string {
  const modules = ['scale.js', 'dom.js', 'charts.js', 'main.js'].map(asset)
  return modules
    .map((source) => source.replace(/^import [^'"]*['"]\.\/[^'"]+['"]\n/gm, '').replace(/^export /gm, ''))
    .join('\n')
}

function familyStyle(colours: ReadonlyMap<string, Ink>): string {
  const rule = (family: string, colour: string) => `.f-${familyClass(family)}{--family:${colour}}`
  const light = [...colours].map(([family, ink]) => rule(family, ink.light)).join('')
  const dark = [...colours].map(([family, ink]) => rule(family, ink.dark)).join('')
  return `${light}@media (prefers-color-scheme:dark){${dark}}`
}

const list = (items: readonly string[]): string =>
  items.length > 0
    ? `<ul class="findings">${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
    : ''

function figure(report: Report, chart: Chart): string {
  const id = `${report.name}-${chart.id}`
  const both = chart.kind === 'scatter' && chart.points.some((point) => point.layer === 'paper')
  const layer = (name: string, label: string, on: boolean) =>
    `<button class="chip" type="button" data-layer="${name}" data-of="${id}" aria-pressed="${on}">${label}</button>`
  const tools = both
    ? `<div class="tools">${layer('ours', 'this run', true)}${layer('paper', 'the paper', false)}</div>`
    : ''
  const caption = chart.caption ? `<figcaption>${escapeHtml(chart.caption)}</figcaption>` : ''
  return `<figure class="card"><h3>${escapeHtml(chart.title)}</h3>${caption}${tools}<div class="plot" data-chart="${id}"></div></figure>`
}

function section(report: Report): string {
  const standIns = report.standIns.map(
    ({ paper, here }) => `<p><b>${escapeHtml(here)}</b> stands in for ${escapeHtml(paper)}.</p>`,
  )
  const names = report.standIns.map(({ here }) => here.split(/[,(]/)[0]!.trim()).join(', ')
  const provenance = Object.entries(report.provenance).map(
    ([key, value]) => `<dt>${escapeHtml(key)}</dt><dd>${escapeHtml(String(value))}</dd>`,
  )
  return `<section id="${report.name}"><h2>${escapeHtml(report.title)}</h2>
${list(report.summary)}
${standIns.length > 0 ? `<details class="stand-ins"><summary>Stand-ins for parts of the paper's set-up: ${escapeHtml(names)}</summary>${standIns.join('')}</details>` : ''}
${report.charts.map((chart) => figure(report, chart)).join('\n')}
${report.tables.map((table) => tableToHtml(table, `${report.name}-${table.id}-table`)).join('\n')}
${report.notes.length > 0 ? `<details><summary>How it was done</summary>${list(report.notes)}</details>` : ''}
<details><summary>Provenance</summary><dl class="provenance">${provenance.join('')}</dl></details>
</section>`
}

/** Big numbers at the top: how well each axis agrees with the paper. */
function facts(reports: readonly Report[]): string {
  const agreement = reports.find((report) => report.name === 'agreement')?.tables[0]
  const axes = (agreement?.rows ?? []).flatMap((row) => {
    const rho = row.cells.rho
    if (!rho || rho.kind === 'text' || !('low' in rho)) return []
    const small = `${row.label} against the paper, ${rho.low.toFixed(2)} to ${rho.high.toFixed(2)}`
    return [`<div class="fact"><b>ρ = ${rho.value.toFixed(2)}</b><span>${escapeHtml(small)}</span></div>`]
  })
  return axes.length > 0 ? `<div class="facts">${axes.join('')}</div>` : ''
}

/** What was run, and on which model: the scales, and the stand-ins that every report of a scale shares. */
function setUp(reports: readonly Report[]): string {
  const own = reports.filter((report) => !report.aside && report.standIns.length > 0)
  const lines = [...new Set(own.map((report) => report.scale))].map((scale) => {
    const { paper, here } = own.find((report) => report.scale === scale)!.standIns[0]!
    return `<p class="lead">Run at the scale "${escapeHtml(scale)}": ${escapeHtml(here)} stands in for ${escapeHtml(paper)}.</p>`
  })
  return lines.join('')
}

export interface PageOptions {
  readonly title?: string
  readonly lead?: string
}

/** The page of a set of reports, in the order given. */
export function toPage(reports: readonly Report[], options: PageOptions = {}): string {
  const { title = 'Unbiased watermarks, measured' } = options
  const lead =
    options.lead ??
    'Every table and figure of the paper, run again with this package: what came out, how sure we can be of it, and where it differs from what was published.'
  const charts = Object.fromEntries(
    reports.flatMap((report) => report.charts.map((chart) => [`${report.name}-${chart.id}`, chart])),
  )
  const families = reports.flatMap((report) =>
    report.tables.flatMap((table) => table.rows.map((row) => row.family)),
  )
  const inCharts = Object.values(charts).flatMap((chart) =>
    (chart.kind === 'scatter'
      ? chart.points
      : chart.kind === 'lines'
        ? chart.series
        : chart.kind === 'boxes'
          ? chart.boxes
          : chart.bars
    ).map((item) => item.family),
  )
  const colours = inks([...families, ...inCharts].filter((family) => family !== ''))
  const methods = new Set(
    reports
      .filter((r) => r.name !== 'audit')
      .flatMap((r) => r.tables.flatMap((t) => t.rows.map((row) => row.family))),
  )
  const chips = [...colours.keys()]
    .filter((family) => methods.has(family))
    .map(
      (family) =>
        `<button class="chip" type="button" data-family="${escapeHtml(family)}" aria-pressed="true"><i class="swatch f-${familyClass(family)}"></i>${escapeHtml(family)}</button>`,
    )
  const shapes = Object.fromEntries([...colours].map(([family, ink]) => [family, ink.shape]))
  const data = JSON.stringify({ charts, shapes }).replaceAll('<', '\\u003c')
  const nav = reports.map(
    (report) => `<a href="#${report.name}">${escapeHtml(report.title.split(':')[0]!)}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${asset('page.css')}${familyStyle(colours)}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="lead">${escapeHtml(lead)}</p>
${setUp(reports)}
${facts(reports)}
${list(reports.filter((report) => !report.aside).flatMap((report) => report.summary.slice(0, 1)))}
</main>
<div class="bar"><div class="bar-inner"><nav aria-label="Reports">${nav.join('')}</nav>
<div class="filter" role="group" aria-label="Methods shown"><span class="caption">methods</span>${chips.join('')}</div></div></div>
<main>
${reports.map(section).join('\n')}
</main>
<footer>Intervals are 95% confidence intervals. Hover or focus a number or a mark for details; click a heading to sort.</footer>
<div id="tip" role="status"></div>
<script type="application/json" id="data">${data}</script>
<script type="module">${script()}</script>
</body>
</html>
`
}
