/**
 * Colours and shapes of method families, the same in every chart. Chosen to stay apart in the common forms of colour blindness
 * and to keep a contrast of at least 3:1 with the page, light and dark; shape and label repeat what colour says.
 */
import type { Look, Shape } from './chart/canvas.ts'
import type { Families } from './html.ts'
import type { Chart, Report } from './report.ts'

interface Ink {
  readonly light: string
  readonly dark: string
  readonly shape: Shape
}

const known: Record<string, Ink> = {
  unwatermarked: { light: '#6b7280', dark: '#a3abb8', shape: 'circle' },
  kgw: { light: '#c75000', dark: '#ff9a52', shape: 'square' },
  unigram: { light: '#a4317f', dark: '#f08fce', shape: 'diamond' },
  dipmark: { light: '#0064a3', dark: '#62b5f5', shape: 'triangle-up' },
  gammaReweight: { light: '#2f8fc4', dark: '#a6dcff', shape: 'triangle-down' },
  deltaReweight: { light: '#2746b8', dark: '#8ea6ff', shape: 'diamond' },
  mcmark: { light: '#007a55', dark: '#45d6a2', shape: 'circle' },
  sta1: { light: '#8a6d00', dark: '#e6c84f', shape: 'cross' },
  synthid: { light: '#5a3dc8', dark: '#b3a1ff', shape: 'circle' },
  itsEdit: { light: '#7a4a21', dark: '#d8a679', shape: 'triangle-up' },
  expEdit: { light: '#26303f', dark: '#e8ecf3', shape: 'square' },
  gumbel: { light: '#1d7a8c', dark: '#5fd0e3', shape: 'triangle-down' },
  christ: { light: '#9a3412', dark: '#fdba8c', shape: 'cross' },
}

const spare: readonly Ink[] = [
  { light: '#b3261e', dark: '#ff8f86', shape: 'diamond' },
  { light: '#4d7c0f', dark: '#b5e36b', shape: 'triangle-up' },
  { light: '#86198f', dark: '#eba6f5', shape: 'square' },
  { light: '#0f6b5c', dark: '#7fe0cf', shape: 'cross' },
]

/** Light colours with their dark ones. */
export const darkInks = [...Object.values(known), ...spare].map(({ light, dark }) => [light, dark] as const)

/** The ink of each family: shipped ones have their own, others take the spare ones in order. */
export function inks(families: readonly string[]): Map<string, Ink> {
  const result = new Map<string, Ink>()
  let next = 0
  for (const family of families)
    if (!result.has(family))
      result.set(family, Object.hasOwn(known, family) ? known[family]! : spare[next++ % spare.length]!)
  return result
}

/** The items of a chart of any kind. */
const itemsOf = (chart: Chart): readonly { readonly family: string; readonly label: string }[] =>
  chart.kind === 'scatter'
    ? chart.points
    : chart.kind === 'lines'
      ? chart.series
      : chart.kind === 'boxes'
        ? chart.boxes
        : chart.bars

/** The families of a chart, in order of appearance. */
export const familiesOf = (chart: Chart): string[] => [...new Set(itemsOf(chart).map((item) => item.family))]

/** The families of reports: methods first, then whatever else has a colour. */
export const familiesOfAll = (reports: readonly Report[]): string[] => [
  ...new Set(
    [
      ...reports.flatMap(({ methods = [] }) => methods.map(({ family }) => family)),
      ...reports.flatMap(({ tables }) => tables.flatMap(({ rows }) => rows.map((row) => row.family))),
      ...reports.flatMap(({ charts }) => charts.flatMap(familiesOf)),
    ].filter((family) => family !== ''),
  ),
]

/** The colours of a page: one number per family, so that names of any kind are never part of a style. */
export interface Theme extends Families {
  readonly look: Look
  readonly style: string
}

export function themeOf(reports: readonly Report[]): Theme {
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
