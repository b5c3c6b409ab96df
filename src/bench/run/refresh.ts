/** Reports again: from the data of their cells, or what follows from their tables, as sentences, figure 1 and agreement do. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseWatermark } from '../../watermarks/index.ts'
import { type Identities, Plan } from '../plan/plan.ts'
import { Results } from '../plan/results.ts'
import { ranks } from '../protocols/agreement.ts'
import { protocols } from '../protocols/index.ts'
import { titled } from '../protocols/mean-report.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { baseOf, figureOf } from '../protocols/scores.ts'
import type { Report, Table } from '../report/report.ts'
import { type Study, studiesOf } from '../study/study.ts'
import { type DataLine, type Header, keyOf, readLines } from './data.ts'
import { assemble, type Experiment, told } from './experiment.ts'
import { paperExperiments } from './experiments.ts'

type Body = Pick<Report, 'tables' | 'charts'>

/** The models of a set of reports, by the names that their tables end in. */
const modelsOf = (reports: readonly Report[]): string[] =>
  (reports.find(({ name }) => name === 'table7')?.tables ?? []).flatMap(({ id }) =>
    id.startsWith('table7-') ? [id.slice('table7-'.length)] : [],
  )

/** The tables of one model under the ids that they have without its name; without a model, the means. */
function tablesOf(reports: readonly Report[], model?: string): Table[] {
  const all = reports.flatMap(({ tables }) => tables)
  if (model === undefined) return all
  return all.flatMap((table) =>
    table.id.endsWith(`-${model}`) ? [{ ...table, id: table.id.slice(0, -model.length - 1) }] : [],
  )
}

/** A body for the mean over models and for each model, as a run puts them together. */
function perModel(
  reports: readonly Report[],
  bodyOf: (tables: readonly Table[], own?: string) => Body,
): Body {
  const models = modelsOf(reports)
  const first = bodyOf(tablesOf(reports))
  if (models.length === 0) return first
  const named = <T extends { readonly id: string; readonly title: string }>(item: T, model: string): T => ({
    ...item,
    id: `${item.id}-${model}`,
    title: `${item.title} (${model})`,
  })
  const each = models.map((model) => ({ model, body: bodyOf(tablesOf(reports, model), model) }))
  return {
    tables: [
      ...first.tables.map(titled),
      ...each.flatMap(({ model, body }) => body.tables.map((table) => named(table, model))),
    ],
    charts: [
      ...first.charts.map(titled),
      ...each.flatMap(({ model, body }) => body.charts.map((chart) => named(chart, model))),
    ],
  }
}

/** Recomputes the parts of a report that follow from the tables of all of them. */
function bodyOf(report: Report, reports: readonly Report[]): Partial<Body> {
  const others = reports.filter(({ name }) => /^table\d$/.test(name))
  const models = modelsOf(others)
  if (others.length < 7) return {}
  if (report.name === 'agreement')
    return perModel(others, (tables) => ranks(tables, report.provenance.seed ?? 0))
  if (report.name !== 'figure1') return {}
  return perModel(others, (tables, own) => {
    const each = own === undefined ? models.map((model) => tablesOf(others, model)) : [tables]
    const base = baseOf(tables, each.length > 0 ? each : [tables])
    return base ? figureOf(base) : { tables: [], charts: [] }
  })
}

/**
 * Returns reports with everything that follows from their tables computed again: reports of other experiments than the paper's stay
 * as they are, and so do those that are not wanted.
 */
export function refreshed(reports: readonly Report[], wanted = (_: Report): boolean => true): Report[] {
  const known = new Map<string, Experiment>(Object.values(paperExperiments()).map((one) => [one.name, one]))
  return reports.map((report) => {
    const experiment = known.get(report.name)
    if (
      !experiment ||
      !wanted(report) ||
      !String(report.provenance.experiment ?? '').startsWith(`${report.name}, version`)
    )
      return report
    const protocol: Protocol = protocols[experiment.protocol]
    return told(protocol, { ...report, ...bodyOf(report, reports) }, experiment.options ?? {})
  })
}

/** Computes a report again from the data of its folder. */
function recompute({ experiment, study, identities }: Header, lines: ReadonlyMap<string, DataLine>): Report {
  const parsed = (ids: readonly string[]) => ids.map((id) => parseWatermark(id))
  const own: Study = { ...study, watermarks: parsed(study.watermarks), variants: parsed(study.variants) }
  const ids = identities.map(
    ({ models, watermarks, data, ...people }): Identities => ({
      models: new Map(models),
      watermarks: new Map(watermarks),
      data: new Map(data),
      ...people,
    }),
  )
  const planned = studiesOf(own).map((part, i) => ({ plan: new Plan(part, ids[i]!), ids: ids[i]! }))
  const results = new Results({ value: (cell) => lines.get(keyOf(cell))?.value })
  return assemble({ ...experiment, study: own }, own, planned, results)
}

/** Returns the reports of a folder that have data, computed again, by name. */
export function recomputed(folder: string): Map<string, Report> {
  const data = join(folder, 'data')
  const headers = existsSync(data) ? readdirSync(data).filter((file) => file.endsWith('.json')) : []
  const lines = readLines(folder)
  return new Map(
    headers.map((file) => {
      const header = JSON.parse(readFileSync(join(data, file), 'utf8')) as Header
      return [header.experiment.name, recompute(header, lines)]
    }),
  )
}
