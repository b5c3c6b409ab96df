/**
 * Reports over several models: the mean of every number first, as the paper averages over models, then the tables and charts of each
 * model under its name. Means are derived from numbers that are compared themselves, so they are not compared again.
 */

import { formatValue } from '../report/format.ts'
import type { Bar, Chart, ChartOf, Column, Point, Row, Series, Table, Value } from '../report/report.ts'
import { listed } from '../report/sentence.ts'
import { derived, estimate, exact, verdict } from '../report/values.ts'
import { meanOf } from './bootstrap.ts'
import type { ReportBody } from './protocol.ts'

/** The part of a report that is about one model. */
export interface ModelBody {
  readonly name: string
  readonly body: ReportBody
}

const isNumber = (value: Value): value is Exclude<Value, { kind: 'text' }> => value.kind !== 'text'
const allEqual = (values: readonly unknown[]): boolean =>
  values.every((value) => JSON.stringify(value) === JSON.stringify(values[0]))

type Range = readonly [number, number]

/**
 * The interval of a mean is the mean of the intervals: wide enough however they depend on each other, as models that read the same
 * text do, since the deviation of a mean is at most the mean of the deviations. Undefined where one is missing.
 */
function meanRange(ranges: readonly (Range | undefined)[]): Range | undefined {
  const known = ranges.filter((range) => range !== undefined)
  if (known.length < ranges.length) return undefined
  return [meanOf(known.map(([low]) => low)), meanOf(known.map(([, high]) => high))]
}

/** The mean of numbers of several models. */
export function meanNumber(values: readonly Exclude<Value, { kind: 'text' }>[]): Value {
  const paper = values.find((one) => one.paper !== undefined)?.paper
  if (values.every(({ kind }) => kind === 'exact') && allEqual(values)) return values[0]!
  const value = meanOf(values.map((one) => one.value))
  const range = meanRange(values.map((one) => ('low' in one ? [one.low, one.high] : undefined)))
  if (!range)
    return values.every(({ kind }) => kind === 'exact') ? exact(value, { paper }) : derived(value, { paper })
  const [low, high] = range
  const n = values.reduce((sum, one) => sum + ('n' in one ? one.n : 0), 0)
  return { ...estimate(value, (high - low) / 3.92, n, { low, high, paper }), derived: true } as Value
}

/** P-values of tests are combined by Bonferroni's correction over models, words are listed, everything else is averaged. */
function meanCell(values: readonly { name: string; value: Value }[], column: Column): Value | null {
  const list = values.map(({ value }) => value)
  if (list.length === 0) return null
  const numbers = list.filter(isNumber)
  if (numbers.length < list.length) {
    if (allEqual(list)) return list[0]!
    return verdict(values.map(({ name, value }) => `${name}: ${formatValue(value, column)}`).join('; '))
  }
  if (column.unit === 'p-value' && numbers.every(({ kind }) => kind === 'derived'))
    return derived(Math.min(1, list.length * Math.min(...numbers.map(({ value }) => value))))
  return meanNumber(numbers)
}

/** Items of all lists, each id once, in the order in which they first appear. */
function union<T extends { readonly id: string }>(lists: readonly (readonly T[])[]): T[] {
  const found = new Map<string, T>()
  for (const item of lists.flat()) if (!found.has(item.id)) found.set(item.id, item)
  return [...found.values()]
}

interface Named<T> {
  readonly name: string
  readonly item: T
}

/** The mean of tables of the same form, one of each model. */
export function meanTable(tables: readonly Named<Table>[]): Table {
  const { item: first } = tables[0]!
  const columns = union(tables.map(({ item }) => item.columns))
  const rows = union(tables.map(({ item }) => item.rows)).map((row): Row => {
    const cells = columns.map((column) => {
      const values = tables.flatMap(({ name, item }) => {
        const value = item.rows.find(({ id }) => id === row.id)?.cells[column.id]
        return value ? [{ name, value }] : []
      })
      return [column.id, meanCell(values, column)] as const
    })
    return { ...row, cells: Object.fromEntries(cells) }
  })
  const how = `Mean over the models that have the number (${listed(tables.map(({ name }) => name))}), with the mean of their intervals; p-values of tests are the smallest, times the number of models.`
  return {
    ...titled(first),
    caption: first.caption ? `${how} ${first.caption}` : how,
    columns,
    rows,
  }
}

/** An optional field. */
const field = <Name extends string, T>(name: Name, value: T | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: T }

function meanPoint(points: readonly Point[]): Point {
  const sizes = points.flatMap(({ size }) => size ?? [])
  return {
    ...points[0]!,
    x: meanOf(points.map(({ x }) => x)),
    y: meanOf(points.map(({ y }) => y)),
    ...field('size', sizes.length === points.length ? meanOf(sizes) : undefined),
    ...field('xRange', meanRange(points.map(({ xRange }) => xRange))),
    ...field('yRange', meanRange(points.map(({ yRange }) => yRange))),
  }
}

const meanBar = (bars: readonly Bar[]): Bar => ({
  ...bars[0]!,
  value: meanOf(bars.map(({ value }) => value)),
  ...field('range', meanRange(bars.map(({ range }) => range))),
})

/** A line through the places that all lines have. */
function meanSeries(series: readonly Series[]): Series {
  const points = series[0]!.points.flatMap(([x]): Series['points'] => {
    const own = series.flatMap((one) => one.points.filter((point) => point[0] === x).slice(0, 1))
    if (own.length < series.length) return []
    const y = meanOf(own.map((point) => point[1]))
    const range = meanRange(own.map((point) => (point.length === 4 ? [point[2], point[3]] : undefined)))
    return [range ? [x, y, ...range] : [x, y]]
  })
  return { ...series[0]!, points }
}

interface Labelled {
  readonly label: string
  readonly layer?: string
}

/** The items of the same label and layer in all charts, combined. */
function together<T extends Labelled>(lists: readonly (readonly T[])[], join: (items: T[]) => T): T[] {
  const nameOf = ({ label, layer = 'ours' }: Labelled) => `${layer} ${label}`
  return lists[0]!.flatMap((item) => {
    const own = lists.flatMap((list) => list.filter((one) => nameOf(one) === nameOf(item)).slice(0, 1))
    return own.length < lists.length ? [] : [join(own)]
  })
}

/** The mean of charts of several models; undefined for boxes and for curves that have no places in common. */
function meanChart(charts: readonly Chart[]): Chart | undefined {
  const [first] = charts
  const lists = <Kind extends Chart['kind'], T>(kind: Kind, itemsOf: (chart: ChartOf<Kind>) => T): T[] =>
    charts.flatMap((chart) => (chart.kind === kind ? [itemsOf(chart as ChartOf<Kind>)] : []))
  if (first?.kind === 'scatter' && !first.diagonal)
    return {
      ...first,
      points: together(
        lists('scatter', ({ points }) => points),
        meanPoint,
      ),
    }
  if (first?.kind === 'bars')
    return {
      ...first,
      bars: together(
        lists('bars', ({ bars }) => bars),
        meanBar,
      ),
    }
  if (first?.kind === 'lines' && !first.diagonal)
    return {
      ...first,
      series: together(
        lists('lines', ({ series }) => series),
        meanSeries,
      ),
    }
  return undefined
}

/** Items that several parts have under one id, in order. */
function shared<T extends { readonly id: string }>(
  parts: readonly ModelBody[],
  itemsOf: (body: ReportBody) => readonly T[],
): Named<T>[][] {
  return union(parts.map(({ body }) => itemsOf(body)))
    .map(({ id }) =>
      parts.flatMap(({ name, body }) =>
        itemsOf(body)
          .filter((item) => item.id === id)
          .map((item) => ({ name, item })),
      ),
    )
    .filter((items) => items.length > 1)
}

/** The means of what the models have in common. */
function meanBody(parts: readonly ModelBody[]): Pick<ReportBody, 'tables' | 'charts'> {
  return {
    tables: shared(parts, ({ tables }) => tables).map(meanTable),
    charts: shared(parts, ({ charts }) => charts).flatMap((charts) => {
      const mean = meanChart(charts.map(({ item }) => item))
      return mean ? [titled(mean)] : []
    }),
  }
}

/** The same under a title that says that it is a mean. */
export const titled = <T extends { readonly title: string }>(item: T): T => ({
  ...item,
  title: `${item.title}, mean over models`,
})

/** The same under the model's name. */
const named = <T extends { readonly id: string; readonly title: string }>(item: T, name: string): T => ({
  ...item,
  id: `${item.id}-${name.replace(/[^\w-]+/g, '-')}`,
  title: `${item.title} (${name})`,
})

/** Notes that all models share once, the others under the model's name. */
function joinNotes(parts: readonly ModelBody[]): string[] {
  const isShared = (note: string) => parts.every(({ body }) => body.notes.includes(note))
  const said = parts.flatMap(({ name, body }) =>
    body.notes.map((note) => (isShared(note) ? note : `${name}: ${note}`)),
  )
  return [...new Set(said)]
}

/** One report of several: means first, then each model's own. */
export function joinBodies(
  parts: readonly ModelBody[],
  mean: Pick<ReportBody, 'tables' | 'charts'> = meanBody(parts),
): ReportBody {
  const several = parts.length > 1
  // a chart that no model had a part in is shown once
  const same = new Set(
    shared(parts, ({ charts }) => charts)
      .filter((charts) => allEqual(charts.map(({ item }) => item)))
      .map((charts) => charts[0]!.item.id),
  )
  const { methods } = parts[0]!.body
  const samples = parts.flatMap(({ name, body }) =>
    (body.samples ?? []).map((sample) => ({ ...sample, model: name })),
  )
  return {
    ...(methods ? { methods } : {}),
    ...(samples.length > 0 ? { samples } : {}),
    notes: joinNotes(parts),
    tables: [
      ...(several ? mean.tables : []),
      ...parts.flatMap(({ name, body }) => body.tables.map((table) => named(table, name))),
    ],
    charts: [
      ...(several ? mean.charts : []),
      ...parts.flatMap(({ name, body }) =>
        body.charts.filter(({ id }) => !same.has(id)).map((chart) => (several ? named(chart, name) : chart)),
      ),
    ],
  }
}
