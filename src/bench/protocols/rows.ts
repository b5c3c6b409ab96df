/** Rows, columns and cells that several protocols have in common. */
import type { Cell } from '../cells/cell.ts'
import { type PaperRow, type PublishedRow, publishedTables } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import { hits, levels } from '../report/rates.ts'
import type { Column, Row, Value } from '../report/report.ts'
import { estimate, meanShare } from '../report/values.ts'
import type { Method } from '../study/methods.ts'

/** The cells of a row while they are collected. */
export type Cells = Record<string, Value | null>

/** The row of a method. */
export const methodRow = ({ id, label, family, unbiased, guaranteed }: Method, cells: Row['cells']): Row => ({
  id,
  label,
  family,
  ...(unbiased ? {} : { biased: true }),
  ...(guaranteed ? {} : { nominal: true }),
  cells,
})

/** The published figure of a method, where the paper's table has one. */
export function paperFigure(
  { paper }: { readonly paper?: PaperRow },
  table: keyof typeof publishedTables,
  column: string,
): number | undefined {
  const rows: readonly PublishedRow[] = publishedTables[table].rows
  return rows.find(({ method }) => method === paper)?.figures[column]?.value
}

/** Percentages at each of the guaranteed false-positive rates. */
export const rateColumns = (
  prefix: string,
  label: string,
  { group, texts, better }: Pick<Column, 'group' | 'texts' | 'better'>,
): Column[] =>
  levels.map((level) => ({
    id: `${prefix}${level.id}`,
    label: `${label}${level.label}`,
    ...(group === undefined ? {} : { group }),
    ...(texts === undefined ? {} : { texts }),
    unit: 'percent',
    ...(better === undefined ? {} : { better }),
  }))

/** Tests of the unwatermarked open texts under the keys of a method. */
export const unmarkedTests = (plan: Plan, method: Method): Cell[] =>
  plan.openSources().flatMap(({ model, data }) => plan.detect(method, plan.open(undefined, model, data)))

/** The share of detectors that a text sets off, averaged over texts; a list of ln p for each detector. */
export function alarms(lists: readonly (readonly number[])[], rate: number, note: string): Value | null {
  const n = lists.length === 0 ? 0 : Math.min(...lists.map(({ length }) => length))
  if (n === 0) return null
  const shareOf = (_: unknown, i: number) =>
    lists.filter((logP) => hits([logP[i]!], rate) > 0).length / lists.length
  return meanShare(Array.from({ length: n }, shareOf), { note })
}

/** A 95% interval by the normal law, inside `[least, most]`, which holds the value. */
export const around = (value: number, se: number, least = -Infinity, most = Infinity): [number, number] => [
  Math.min(value, Math.max(least, value - 1.96 * se)),
  Math.max(value, Math.min(most, value + 1.96 * se)),
]

/** An estimate with the interval of {@link around}. */
export function clipped(
  value: number,
  se: number,
  n: number,
  [least, most]: readonly [number, number],
  paper?: number,
): Value {
  const [low, high] = around(value, se, least, most)
  return estimate(value, se, n, { low, high, paper })
}
