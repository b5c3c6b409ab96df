/** Reports whose every name, title and remark is hostile: markup, quotes, formulas, control characters. */
import fc from 'fast-check'
import type { Chart, Column, Report, Row, Value } from '../../src/bench/report/report.ts'
import type { Sample } from '../../src/bench/report/samples.ts'

/** Pieces that break out of something, somewhere. All say `uwx`, so that a trace of them can be found. */
const pieces = [
  '<script>uwx()</script>',
  '</script><script>uwx()</script>',
  '</style><style>*{uwx:1}</style>',
  '</title><img src=uwx onerror=uwx()>',
  '"><svg onload=uwx()>',
  "' onfocus=uwx() autofocus x='",
  '--><uwx>',
  ']]><uwx>',
  '<!--uwx',
  '&lt;uwx&gt;',
  '=HYPERLINK("uwx")',
  '+uwx',
  '-uwx',
  '@uwx',
  '\t=uwx',
  '\\input{uwx}',
  '\\end{tabular}\\uwx',
  '[1em]uwx & uwx \\\\',
  '*uwx',
  '%uwx',
  '^^5cuwx',
  '[uwx](javascript:uwx)',
  '![uwx](http://uwx)',
  '| uwx |',
  '`uwx`',
  'a\nuwx\r\n\nb',
  '\u0000uwx\u0007\u001b[31m',
  '\u202euwx\u2066',
  '\ud800uwx',
  '../../uwx',
  '__proto__',
  'constructor',
]

export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...pieces) },
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(''))

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const unit = fc.constantFrom<Column['unit']>('percent', 'number', 'p-value', 'count', 'text')

const value: fc.Arbitrary<Value | null> = fc.oneof(
  fc.constant(null),
  fc.record({ kind: fc.constant('text' as const), value: hostileText }),
  fc.record({ kind: fc.constant('exact' as const), value: number, note: hostileText, paper: number }),
)

const row = (columns: readonly string[]): fc.Arbitrary<Row> =>
  fc
    .record({
      id: hostileText,
      label: hostileText,
      family: hostileText,
      values: fc.array(value, { maxLength: 4 }),
    })
    .map(({ values, ...one }) => ({
      ...one,
      cells: Object.fromEntries(columns.map((id, i) => [id, values[i] ?? null])),
    }))

const table = fc
  .record({
    id: hostileText,
    title: hostileText,
    caption: hostileText,
    rowLabel: hostileText,
    labels: fc.array(fc.tuple(hostileText, hostileText, unit), { maxLength: 4 }),
  })
  .chain(({ labels, ...one }) => {
    const columns = labels.map(
      ([label, group, unit], i): Column => ({ id: `c${i}`, label, group, unit, better: 'lower' }),
    )
    const rows = fc.array(row(columns.map(({ id }) => id)), { maxLength: 3 })
    return rows.map((rows) => ({ ...one, columns, rows }))
  })

const item = fc.record({ label: hostileText, family: hostileText })
const five = fc.tuple(number, number, number, number, number)
const chart: fc.Arbitrary<Chart> = fc
  .record({
    id: hostileText,
    title: hostileText,
    caption: hostileText,
    x: fc.record({ label: hostileText }),
    y: fc.record({ label: hostileText }),
  })
  .chain((base) => {
    const many = <T>(more: fc.Arbitrary<T>) =>
      fc.array(
        fc.tuple(item, more).map(([a, b]) => ({ ...a, ...b })),
        { maxLength: 4 },
      )
    return fc.oneof(
      many(fc.record({ x: number, y: number })).map((points) => ({
        ...base,
        kind: 'scatter' as const,
        points,
      })),
      many(fc.record({ points: fc.array(fc.tuple(number, number), { maxLength: 3 }) })).map((series) => ({
        ...base,
        kind: 'lines' as const,
        series,
      })),
      many(fc.record({ series: hostileText, five })).map((boxes) => ({
        ...base,
        kind: 'boxes' as const,
        boxes,
      })),
      many(fc.record({ value: number })).map((bars) => ({ ...base, kind: 'bars' as const, bars })),
    )
  })

/** Texts of a method whose row may be in the tables, under columns that they have. */
const sample: fc.Arbitrary<Sample> = fc.record({
  row: hostileText,
  label: hostileText,
  family: hostileText,
  prompt: hostileText,
  texts: fc.array(
    fc.record({
      id: fc.constantFrom('c0', 'c1', '__proto__'),
      label: hostileText,
      pValue: number,
      text: hostileText,
      lengths: fc.oneof(hostileText, fc.constant('3 2 99 0 -1')),
      shades: fc.oneof(hostileText, fc.constant('aku.')),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

/** A report in which only numbers and the shape are honest. */
export const hostileReport: fc.Arbitrary<Report> = fc.record({
  name: hostileText,
  title: hostileText,
  order: number,
  headline: fc.record({ sentence: hostileText, chart: hostileText }),
  methods: fc.array(fc.record({ family: hostileText, label: hostileText }), { maxLength: 3 }),
  summary: fc.array(hostileText, { maxLength: 2 }),
  scale: hostileText,
  standIns: fc.array(fc.record({ paper: hostileText, here: hostileText }), { maxLength: 2 }),
  notes: fc.array(hostileText, { maxLength: 2 }),
  tables: fc.array(table, { maxLength: 2 }),
  charts: fc.array(chart, { maxLength: 2 }),
  samples: fc.array(sample, { maxLength: 3 }),
  provenance: fc.dictionary(hostileText, hostileText, { maxKeys: 2 }),
})
