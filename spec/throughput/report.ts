/** reports/throughput.{json,md,svg} from the figures of a run. */

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { toSvg } from '../../src/bench/report/chart/svg.ts'
import type { Bar, Chart, Column, Report, Row, Table, Value } from '../../src/bench/report/report.ts'
import { counted, verb } from '../../src/bench/report/sentence.ts'
import { writeReport } from '../../src/bench/report/write.ts'
import { familiesOf } from '../../src/bench/study/methods.ts'
import { median } from '../../src/core/stats/entry.ts'
import { shippedMethods } from '../../src/watermarks/shipped.ts'
import { type Figure, measure, type Softmax } from './measure.ts'

interface Entry {
  readonly row: string
  readonly column: string
  readonly figure: Figure
  /** Milliseconds of one call, per round; empty where a time means nothing. */
  readonly times: readonly number[]
}

export interface Section {
  readonly title: string
  readonly unit: string
  readonly entries: Entry[]
}

const familyOf = (row: string): string => row.replace(/\(.*/, '')

const unique = (values: readonly string[]): string[] => [...new Set(values)]

/** Infinite ends of an interval (few rounds) have no place in JSON. */
const finite = (x: number, otherwise: number): number => (Number.isFinite(x) ? x : otherwise)

function cell({ figure, times }: Entry): Value {
  const { median: value, low, high, rounds, bound, broken } = figure
  const interval = { low: finite(low, value), high: finite(high, value) }
  const time = times.length === 0 ? '' : `${(1000 * median(times)).toPrecision(3)} us`
  const against =
    bound === undefined
      ? ''
      : `bound ${bound}: ${broken ? 'BROKEN' : value > bound ? 'above, within noise' : 'kept'}`
  const note = [time, against].filter(Boolean).join('; ')
  return { kind: 'median', value, ...interval, n: rounds, guard: [interval.low, interval.high], note }
}

function table({ title, unit, entries }: Section): Table {
  const columns = unique(entries.map((entry) => entry.column))
  const rows = unique(entries.map((entry) => entry.row))
  return {
    id: title.toLowerCase().replaceAll(' ', '-'),
    title: `${title} (${unit})`,
    columns: columns.flatMap((label): Column[] => [
      { id: label, label, unit: 'number', digits: unit === 'ns per token' ? 0 : 2, better: 'lower' },
      { id: `${label} note`, label: 'time; bound', unit: 'text' },
    ]),
    rows: rows.map((label): Row => {
      const cells: Record<string, Value | null> = {}
      for (const column of columns) {
        const entry = entries.find((e) => e.row === label && e.column === column)
        const value = entry && cell(entry)
        cells[column] = value ?? null
        cells[`${column} note`] = value?.note === undefined ? null : { kind: 'text', value: value.note }
      }
      return { id: label, label, family: familyOf(label), cells }
    }),
  }
}

function chart({ entries }: Section): Chart {
  const bars = entries
    .filter((entry) => entry.column === 'V = 50257')
    .map(
      ({ row, figure: { median: value, low, high } }): Bar => ({
        label: row,
        family: familyOf(row),
        value,
        range: [finite(low, value), finite(high, value)],
      }),
    )
  return {
    kind: 'bars',
    id: 'steps',
    title: 'One step at V = 50,257, softmax included',
    x: { label: 'method' },
    y: { label: 'softmaxes over the same vocabulary' },
    bars,
  }
}

/** Writes the report of a whole run; a run of some tests only leaves the report alone. */
export async function writeThroughput(
  sections: readonly Section[],
  softmaxes: ReadonlyMap<number, Pick<Softmax, 'run'>>,
  folder = 'reports',
): Promise<void> {
  const steps = sections.find((section) => section.title === 'One step')
  if (sections.length < 7 || steps === undefined) return
  const figures = sections.flatMap((section) => section.entries.map((entry) => entry.figure))
  const bounded = figures.filter((figure) => figure.bound !== undefined)
  const above = sections.flatMap(({ unit, entries }) =>
    entries
      .filter(({ figure: { median, bound } }) => bound !== undefined && median > bound)
      .map(({ figure: f }) => `${f.id}: ${Number(f.median.toPrecision(3))} ${unit}, bound ${f.bound}.`),
  )
  const times = [...softmaxes].map(([size, { run }]) => {
    const { times } = measure(run, run, { rounds: 41 })
    return `${size}: ${(1000 * median(times)).toFixed(0)} us`
  })
  const broken = bounded.filter((f) => f.broken).length
  const sentence = `Throughput: ${counted(figures.length, 'figure')}, ${bounded.length} with a bound: ${broken} ${verb(broken, 'breaks', 'break')} it, ${above.length} ${verb(above.length, 'has', 'have')} a median above it.`
  const report: Report = {
    name: 'throughput',
    title: 'Throughput',
    order: 12,
    headline: { sentence },
    methods: familiesOf(
      sections.flatMap(({ entries }) => entries.map(({ row }) => ({ family: familyOf(row) }))),
    ).filter(({ family }) => shippedMethods().some(({ name }) => name === family)),
    summary: [
      sentence,
      ...above,
      `The unit, a WebAssembly softmax of float32 logits into float64 probabilities, took: ${times.join('; ')}.`,
    ],
    scale: 'throughput',
    standIns: [],
    notes: [
      'Each round times a batch of softmaxes and a batch of the work in turn; a figure is the median over rounds of their ratio, with a 95% interval by order statistics.',
      'Time is processor time of one process, garbage collection and compilation included, after a tenth of a second of warm-up. What runs is loaded by Node itself: the built package, or for detection the sources without their types.',
      'Detection of one text and of a corpus is timed in a process of its own for each method, as users run it. In a process that has used a dozen watermarks the code that they share is specialised to none of them and takes up to twice as long.',
      'A bound is broken when more rounds lie above it than chance explains (sign test, 1e-9 for a whole run).',
      'With top-k the time of finding the k tokens is not part of the step.',
    ],
    tables: sections.map(table),
    charts: [chart(steps)],
    provenance: { node: process.version, v8: process.versions.v8, processor: cpus()[0]?.model ?? 'unknown' },
  }
  await writeReport(report, folder)
  writeFileSync(`${folder}/throughput.svg`, toSvg(report.charts[0]!))
}
