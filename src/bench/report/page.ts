/**
 * `reports/index.html`: all reports on one page that needs no network. Charts are drawn and tables complete without a script; style
 * and script are inside, and a content security policy lets only those two run.
 */
import { readFileSync } from 'node:fs'
import { type Document, documentToHtml } from './documents.ts'
import { anchor, markup } from './escape.ts'
import { figure } from './figure.ts'
import { tableToHtml } from './html.ts'
import { type Theme, themeOf } from './palette.ts'
import { policyOf } from './policy.ts'
import type { Chart, Report } from './report.ts'
import { sampleData, shadeRules } from './samples.ts'
import { inPlaceOf } from './sentence.ts'

const asset = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

/** The page's modules as one script: in order of need, without the imports between them. */
const script = (): string =>
  ['tips.js', 'tables.js', 'compare.js', 'samples.js', 'main.js']
    .map(asset)
    .map((source) => source.replace(/^import .*\n/gm, '').replace(/^export /gm, ''))
    .join('\n')

const style = (): string =>
  ['page.css', 'charts.css', 'tables.css', 'samples.css', 'print.css'].map(asset).join('\n')

const list = (items: readonly string[]): string =>
  items.length > 0
    ? `<ul class="findings">${items.map((item) => `<li>${markup(item)}</li>`).join('')}</ul>`
    : ''

/** The report whose chart heads the page. */
const leader = (reports: readonly Report[]): { report: Report; chart: Chart } | undefined =>
  reports
    .flatMap((report) => {
      const chart = report.charts.find(({ id }) => id === report.headline?.chart)
      return chart ? [{ report, chart }] : []
    })
    .at(0)

/** The model that a table or chart is about: its title and its id end in the name. */
function modelOf({ id, title }: { readonly id: string; readonly title: string }): string | undefined {
  const name = /\(([^()]+)\)$/.exec(title)?.[1]
  return name !== undefined && id.endsWith(`-${name.replace(/[^\w-]+/g, '-')}`) ? name : undefined
}

/** The models of reports in the order of the switch; a single one needs no switch. */
function modelsOf(reports: readonly Report[]): string[] {
  const items = reports.flatMap(({ tables, charts }) => [...tables, ...charts])
  const models = [...new Set(items.flatMap((item) => modelOf(item) ?? []))]
  return models.length > 1 ? models : []
}

/** A report on the page, with what all of them share. */
interface Setting {
  readonly theme: Theme
  readonly models: readonly string[]
  /** The chart at the head of the page. */
  readonly above: Chart | undefined
  readonly linked: boolean
}

/**
 * The classes of the views that show a table or chart: view 0 has the means, and the first model's where there is no mean; view n
 * has those of model n. Without classes it is in every view.
 */
function viewsOf<T extends { readonly id: string; readonly title: string }>(
  item: T,
  items: readonly T[],
  models: readonly string[],
): string {
  const model = modelOf(item)
  const stem = model === undefined ? item.id : item.id.slice(0, -model.length - 1)
  const twins = items.filter((one) => modelOf(one) !== undefined && one.id.startsWith(`${stem}-`))
  const at = models.indexOf(model ?? '')
  if (model === undefined) return twins.length > 0 && models.length > 0 ? ' view v0' : ''
  if (at < 0) return ''
  const alone = items.every(({ id }) => id !== stem) && twins[0] === item
  return ` view v${at + 1}${alone ? ' v0' : ''}`
}

function section(report: Report, { theme, models, above, linked }: Setting): string {
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
${empty}${shown}${charts.map((chart) => figure(report, chart, theme, { linked, views: viewsOf(chart, report.charts, models) })).join('\n')}
${report.tables.map((table) => tableToHtml(table, `${name}-${anchor(table.id)}-table`, { ...theme, ...(linked ? { file: name } : {}), views: viewsOf(table, report.tables, models) })).join('\n')}
${report.notes.length > 0 ? `<details><summary>How it was done</summary>${list(report.notes)}</details>` : ''}
<details><summary>Provenance</summary><dl class="provenance">${provenance.join('')}</dl></details>
</section>`
}

/** The scales that were run, and the stand-ins that all reports of a scale share. */
function setUp(reports: readonly Report[]): string {
  const own = reports.filter((report) => report.headline && report.standIns.length > 0)
  return [...new Set(own.map(({ scale }) => scale))]
    .map((scale) => {
      const [first, ...others] = own
        .filter((report) => report.scale === scale)
        .map(({ standIns }) => standIns.map(inPlaceOf))
      const shared = first!.filter((standIn, i) => i === 0 || others.every((all) => all.includes(standIn)))
      return `<p class="aside">Run at the scale "${markup(scale)}": ${markup(shared.join('; '))}.</p>`
    })
    .join('')
}

/** Sentences at the head of the page, at most: the reports that come first have them. */
const MAX_HEADLINES = 6

/** A sentence of each report, with a link to the rest. */
function headlines(reports: readonly Report[]): string {
  const items = reports.flatMap(({ name, title, headline }) =>
    headline
      ? [
          `<li>${markup(headline.sentence)} <a href="#${anchor(name)}">${markup(title.split(':')[0]!)}</a></li>`,
        ]
      : [],
  )
  return items.length === 0 ? '' : `<ul class="findings">${items.slice(0, MAX_HEADLINES).join('\n')}</ul>`
}

const viewRules = (models: readonly string[]): string =>
  ['', ...models].map((_, i) => `:root:has(#_v${i}:checked) .view:not(.v${i},:target){display:none}`).join('')

/** The switch between the mean over models and each of them: works without a script. */
function modelSwitch(models: readonly string[]): string {
  if (models.length === 0) return ''
  const choices = ['mean', ...models].map(
    (name, i) =>
      `<label class="chip"><input type="radio" name="_view" id="_v${i}"${i === 0 ? ' checked' : ''}>${markup(name)}</label>`,
  )
  return `<div class="switch" role="radiogroup" aria-label="Model"><span class="caption">model</span>${choices.join('')}</div>`
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

/** Two methods side by side, which the script fills in from the tables. */
function comparison(reports: readonly Report[], theme: Theme): string {
  const rows = new Map<string, { label: string; tables: number }>()
  const tables = reports.flatMap((report) => report.tables)
  const judged = tables.filter(({ columns }) => columns.some(({ better }) => better))
  for (const { id, label, family } of judged.flatMap((table) => table.rows))
    if (theme.isMethod(family))
      rows.set(id, { label: rows.get(id)?.label ?? label, tables: (rows.get(id)?.tables ?? 0) + 1 })
  if (rows.size < 2) return ''
  // the first two of those that most tables have
  const most = [...rows].sort(([, a], [, b]) => b.tables - a.tables)
  const options = (chosen: number) =>
    [...rows]
      .map(
        ([id, { label }]) =>
          `<option value="${markup(id)}"${id === most[chosen]![0] ? ' selected' : ''}>${markup(label)}</option>`,
      )
      .join('')
  return `<section id="_compare"><h2>Compare two methods</h2>
<div class="tools"><label>first <select data-method="0">${options(0)}</select></label><label>second <select data-method="1">${options(1)}</select></label></div>
<p class="aside">Every figure that is better high or better low. One method is called better where both figures have 95% intervals and these do not overlap, which is stricter than a test at 5%.</p>
<div class="card"><div class="frame"><div class="scroll" tabindex="0" role="region" aria-label="Comparison of two methods"><table class="dense"><thead><tr><th scope="col">Figure</th><th scope="col"></th><th scope="col"></th><th scope="col" class="text">Better</th></tr></thead><tbody></tbody></table></div></div></div>
</section>`
}

/** The viewer of samples, and the texts as data for it. */
function viewer(reports: readonly Report[]): string {
  const samples = reports.flatMap((report) => report.samples ?? [])
  if (samples.length === 0) return ''
  return `<dialog id="_texts" aria-labelledby="_texts-title"><form method="dialog"><h2 id="_texts-title">Texts</h2><button class="chip">close</button></form>
<div class="tools"><label>method <select id="_texts-method"></select></label><label>prompt <select id="_texts-prompt"></select></label><label>beside <select id="_texts-kind"></select></label></div>
<p class="prompt"></p><div class="pair"></div>
<p class="aside">Green tokens speak for the watermark, red ones against it, the stronger the more; the others were not scored.</p></dialog>
<script type="application/json" id="_samples">${sampleData(samples)}</script>`
}

/** Findings of the tests about the laws, the theorems and published code. */
const checks = (documents: readonly Document[], linked: boolean): string =>
  documents.length === 0
    ? ''
    : `<section id="_checks"><h2>What the tests found</h2>${documents.map((one) => documentToHtml(one, linked)).join('\n')}</section>`

export interface PageOptions {
  readonly title?: string
  readonly lead?: string
  /** True: the page links to the files of its reports, which lie beside it. Default: true. */
  readonly files?: boolean
  /** Findings of tests, shown after the reports. */
  readonly documents?: readonly Document[]
}

/** The page of a set of reports, in the order given. */
export function toPage(reports: readonly Report[], options: PageOptions = {}): string {
  const { title = 'Unbiased watermarks, measured', files = true, documents = [] } = options
  const lead =
    options.lead ??
    'Every table and figure of the paper, run again with this package: what came out, how sure we can be of it, and where it differs from what was published.'
  const theme = themeOf(reports)
  const first = leader(reports)
  const models = modelsOf(reports)
  const css = `${style()}${theme.style}${shadeRules()}${viewRules(models)}`
  const js = script()
  const policy = policyOf(css, js)
  const side = comparison(reports, theme)
  const nav = [
    ...(side === '' ? [] : ['<a class="compare" href="#_compare">Compare</a>']),
    ...reports.map(
      (report) => `<a href="#${anchor(report.name)}">${markup(report.title.split(':')[0]!)}</a>`,
    ),
    ...(documents.length > 0 ? ['<a href="#_checks">Tests</a>'] : []),
  ]
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
${first ? `<p class="headline">${markup(first.report.headline!.sentence)}</p>${figure(first.report, first.chart, theme, { linked: files, views: '', first: true })}` : ''}
${setUp(reports)}
${reports.length === 0 ? '<p>There are no reports here yet.</p>' : headlines(others)}
</header>
<div class="bar"><input type="checkbox" id="_menu"><label class="chip menu" for="_menu">Reports, models, methods</label><div class="bar-inner"><nav aria-label="Reports">${nav.join('')}</nav>
${modelSwitch(models)}${chips(reports, theme)}</div></div>
<main>
${reports.map((report) => section(report, { theme, models, above: report === first?.report ? first.chart : undefined, linked: files })).join('\n')}
${checks(documents, files)}
${side}
</main>
<footer>Intervals are 95% confidence intervals. Hover or focus a number or a mark for details; click a heading to sort.</footer>
${viewer(reports)}
<div id="tip" role="status"></div>
<script type="module">${js}</script>
</body>
</html>
`
}
