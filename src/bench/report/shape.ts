/** The shape that a report must have to be printed: files may come from other versions, or from other people. */

import { wrongType } from '../../input.ts'

/** The place and the expectation of the first thing that does not fit. */
export interface Misfit {
  readonly at: string
  readonly expected: string
  readonly value: unknown
}

type Shape = (value: unknown, at: string) => Misfit | undefined

const is =
  (expected: string, test: (value: unknown) => boolean): Shape =>
  (value, at) =>
    test(value) ? undefined : { at, expected, value }

const text = is('a string', (value) => typeof value === 'string')
const number = is('a finite number', (value) => Number.isFinite(value))
const textOrNumber = is('a string or a number', (v) => typeof v === 'string' || Number.isFinite(v))
const yes = is('true', (value) => value === true)
const oneOf = (...names: readonly string[]): Shape =>
  is(`one of ${names.join(', ')}`, (value) => names.includes(value as string))

const optional =
  (shape: Shape): Shape =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at)

const orNull =
  (shape: Shape): Shape =>
  (value, at) =>
    value === null ? undefined : optional(shape)(value, at)

const listOf =
  (shape: Shape, length?: number): Shape =>
  (value, at) => {
    if (!Array.isArray(value) || (length !== undefined && value.length !== length))
      return { at, expected: length === undefined ? 'a list' : `a list of ${length}`, value }
    for (const [i, item] of value.entries()) {
      const misfit = shape(item, `${at}[${i}]`)
      if (misfit) return misfit
    }
    return undefined
  }

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const objectOf =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (!isObject(value)) return { at, expected: 'an object', value }
    for (const [name, shape] of Object.entries(fields)) {
      const misfit = shape(value[name], at === '' ? name : `${at}.${name}`)
      if (misfit) return misfit
    }
    return undefined
  }

const recordOf =
  (shape: Shape): Shape =>
  (value, at) => {
    if (!isObject(value)) return { at, expected: 'an object', value }
    return objectOf(Object.fromEntries(Object.keys(value).map((name) => [name, shape])))(value, at)
  }

/** An object with some fields of all kinds, and others by its `kind`. */
const kindOf =
  (
    fields: Readonly<Record<string, Shape>>,
    kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>,
  ): Shape =>
  (value, at) =>
    objectOf({ ...fields, kind: oneOf(...Object.keys(kinds)) })(value, at) ??
    objectOf(kinds[(value as { kind: string }).kind]!)(value, at)

const interval = { value: number, low: number, high: number, n: number }
const cell = kindOf(
  { paper: optional(number), note: optional(text) },
  {
    proportion: interval,
    mean: interval,
    median: interval,
    estimate: interval,
    exact: { value: number },
    derived: { value: number },
    place: interval,
    text: { value: text },
  },
)

const table = objectOf({
  id: text,
  title: text,
  caption: optional(text),
  rowLabel: optional(text),
  columns: listOf(
    objectOf({
      id: text,
      label: text,
      group: optional(text),
      texts: optional(text),
      unit: oneOf('percent', 'number', 'p-value', 'count', 'text'),
      better: optional(oneOf('higher', 'lower')),
      digits: optional(
        is('an integer up to 20', (v) => Number.isInteger(v) && Number(v) >= 0 && Number(v) <= 20),
      ),
    }),
  ),
  rows: listOf(
    objectOf({
      id: text,
      label: text,
      family: text,
      biased: optional(yes),
      nominal: optional(yes),
      cells: recordOf(orNull(cell)),
    }),
  ),
})

const pair = listOf(number, 2)
const axis = objectOf({
  label: text,
  scale: optional(oneOf('linear', 'log')),
  domain: optional(pair),
  ticks: optional(listOf(number)),
})
const named = { label: text, family: text }
const chart = kindOf(
  { id: text, title: text, caption: optional(text), x: axis, y: axis },
  {
    scatter: {
      sizeLabel: optional(text),
      points: listOf(
        objectOf({
          ...named,
          x: number,
          y: number,
          size: optional(number),
          layer: optional(oneOf('ours', 'paper')),
          xRange: optional(pair),
          yRange: optional(pair),
          hollow: optional(yes),
        }),
      ),
      band: optional(objectOf({ x: pair, label: text })),
    },
    lines: { series: listOf(objectOf({ ...named, points: listOf(listOf(number)) })) },
    boxes: { boxes: listOf(objectOf({ ...named, series: text, five: listOf(number, 5) })) },
    bars: {
      bars: listOf(objectOf({ ...named, value: number, range: optional(pair), paper: optional(number) })),
      line: optional(number),
    },
  },
)

const sample = objectOf({
  row: text,
  label: text,
  family: text,
  prompt: text,
  model: optional(text),
  texts: listOf(objectOf({ id: text, label: text, pValue: number, text, lengths: text, shades: text })),
})

const report = objectOf({
  name: text,
  title: text,
  scale: text,
  order: optional(number),
  headline: optional(objectOf({ sentence: text, chart: optional(text) })),
  methods: optional(listOf(objectOf({ family: text, label: text }))),
  summary: listOf(text),
  notes: listOf(text),
  standIns: listOf(objectOf({ paper: text, here: text })),
  tables: listOf(table),
  charts: listOf(chart),
  samples: optional(listOf(sample)),
  provenance: recordOf(textOrNumber),
})

/** The first thing about a value that keeps it from being a report. */
export const misfitOf = (value: unknown): Misfit | undefined => report(value, '')

const required =
  (shape: Shape) =>
  (name: string, value: unknown): void => {
    const misfit = shape(value, '')
    if (misfit) throw wrongType([name, misfit.at].filter(Boolean).join('.'), misfit.expected, misfit.value)
  }

/** Checks the tables of a report, all that a comparison looks at. */
export const requireTables = required(objectOf({ tables: listOf(table) }))

/** Checks that a value is a report, down to its cells. */
export const requireReport = required(report)
