/**
 * Places with what is known of them. From intervals that hold jointly, the place of a method lies between one more than the number of
 * methods that are surely better and all less those that are surely worse (Klein, Wright and Wieczorek, A joint confidence region
 * for an overall ranking of populations, JRSS C 2020). Joint intervals: normal, each at 1 - (1 - confidence) / k.
 */
import { normalQuantile } from '../../core/stats/index.ts'
import type { Column, Row, Table, Value } from './report.ts'

/** An estimate of one method. */
interface Estimate {
  readonly value: number
  readonly se: number
}

export interface Place {
  readonly place: number
  readonly low: number
  readonly high: number
}

/** Places by value, highest first; equal values share the better place. */
export function placesOf(estimates: readonly Estimate[], confidence = 0.95): Place[] {
  const reach = normalQuantile(1 - (1 - confidence) / (2 * Math.max(1, estimates.length)))
  const ends = estimates.map(({ value, se }) => [value - reach * se, value + reach * se] as const)
  return estimates.map(({ value }, i) => {
    const [low, high] = ends[i]!
    return {
      place: 1 + estimates.filter((other) => other.value > value).length,
      low: 1 + ends.filter(([other]) => other > high).length,
      high: estimates.length - ends.filter(([, other]) => other < low).length,
    }
  })
}

const isEstimate = (value: Value | null | undefined): value is Value & { kind: 'estimate' } =>
  value?.kind === 'estimate'

/** The places of chosen rows in columns of a table of estimates, in the order of their mean place. */
export function placesTable(
  table: Table,
  columns: readonly string[],
  isRanked: (row: Row) => boolean,
): Table | undefined {
  const rows = table.rows.filter((row) => isRanked(row) && columns.every((id) => isEstimate(row.cells[id])))
  if (rows.length < 2) return undefined
  const places = columns.map((id) => placesOf(rows.map((row) => row.cells[id] as Value & Estimate)))
  const ranked = rows.map(({ cells: _, ...row }, i) => {
    const own = places.map((list) => list[i]!)
    const mean = own.reduce((sum, { place }) => sum + place, 0) / own.length
    const cells: Record<string, Value> = { mean: { kind: 'derived', value: mean } }
    for (const [j, column] of columns.entries()) {
      const { place, low, high } = own[j]!
      cells[column] = { kind: 'place', value: place, low, high, n: rows.length }
    }
    return { ...row, cells }
  })
  const shown = table.columns.filter(({ id }) => columns.includes(id))
  return {
    id: 'places',
    title: 'Places',
    caption: `Place of each method among ${rows.length} on each axis, with the places that its score does not rule out: all ranges of an axis hold together with a confidence of 95%. Ordered by the mean place.`,
    columns: [
      ...shown.map(({ id, label }): Column => ({ id, label, unit: 'count', better: 'lower' })),
      { id: 'mean', label: 'mean place', unit: 'number', digits: 1, better: 'lower' },
    ],
    rows: ranked.sort((a, b) => (a.cells.mean!.value as number) - (b.cells.mean!.value as number)),
  }
}
