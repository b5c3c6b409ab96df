/**
 * A report: tables and charts as plain data. Everything that is printed (Markdown, CSV, LaTeX, SVG, the page) and
 * everything that is compared with an accepted run is derived from it. Plain JSON throughout: no NaN, no typed arrays.
 */

import type { Sample } from './samples.ts'

/** A 95% confidence interval. */
interface Interval {
  readonly low: number
  readonly high: number
}

/** A number with what it takes to judge it. `paper` is the published figure, where there is one. */
export type Value = (
  | ({
      readonly kind: 'proportion'
      readonly value: number
      readonly hits: number
      readonly n: number
    } & Interval)
  | ({ readonly kind: 'mean'; readonly value: number; readonly sd: number; readonly n: number } & Interval)
  /** `guard`: the order-statistic interval at the level of comparisons with accepted reports. */
  | ({
      readonly kind: 'median'
      readonly value: number
      readonly n: number
      readonly guard: readonly [number, number]
    } & Interval)
  /** Anything with a standard error: an AUROC, a score, a correlation. `derived`: from numbers that are compared themselves. */
  | ({
      readonly kind: 'estimate'
      readonly value: number
      readonly se: number
      readonly n: number
      readonly derived?: true
    } & Interval)
  /** Follows from its inputs without chance. */
  | { readonly kind: 'exact'; readonly value: number }
  /** Computed from sampled numbers, which are compared themselves: a p-value, a verdict's margin. Not compared again. */
  | { readonly kind: 'derived'; readonly value: number }
  /** A place in a ranking of n, with the places that are not ruled out. Not compared again. */
  | ({ readonly kind: 'place'; readonly value: number; readonly n: number } & Interval)
  | { readonly kind: 'text'; readonly value: string; readonly derived?: true }
) & { readonly paper?: number; readonly note?: string }

type Unit = 'percent' | 'number' | 'p-value' | 'count' | 'text'

/** A column of a table. */
export interface Column {
  readonly id: string
  readonly label: string
  /** Columns of one group share a heading. */
  readonly group?: string
  readonly unit: Unit
  /** Digits after the point, for numbers and percents. */
  readonly digits?: number
  readonly better?: 'higher' | 'lower'
  /** Texts of a sample that it is about; default: those named like the column. */
  readonly texts?: string
  /** True for the purpose of the table, such as a verdict: on the page it stands first. */
  readonly first?: true
}

/** A row of a table: one method. */
export interface Row {
  /** The watermark's id, or another unique name. */
  readonly id: string
  /** As the paper writes it. */
  readonly label: string
  /** Rows of one family share a colour. */
  readonly family: string
  /** True for a method that does not claim to be unbiased. */
  readonly biased?: true
  /** True for a test whose p-values are nominal: false-positive rates are not guaranteed. */
  readonly nominal?: true
  readonly cells: { readonly [column: string]: Value | null }
}

/** A table of a report. */
export interface Table {
  readonly id: string
  readonly title: string
  readonly caption?: string
  /** Heading of the first column. */
  readonly rowLabel?: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface Axis {
  readonly label: string
  readonly scale?: 'linear' | 'log'
  /** Left and right end, or bottom and top: an axis with the domain [20, 0] runs downward. */
  readonly domain?: readonly [number, number]
  /** Numbers to show; default: round ones. */
  readonly ticks?: readonly number[]
  readonly percent?: boolean
}

interface ChartBase {
  readonly id: string
  readonly title: string
  readonly caption?: string
  readonly x: Axis
  readonly y: Axis
}

/** Points of one layer are shown or hidden together. */
export type Layer = 'ours' | 'paper'

export interface Point {
  readonly label: string
  readonly family: string
  readonly x: number
  readonly y: number
  readonly size?: number
  readonly xRange?: readonly [number, number]
  readonly yRange?: readonly [number, number]
  /** Default: ours. */
  readonly layer?: Layer
  /** Drawn as an outline: a method that does not claim to be unbiased. */
  readonly hollow?: true
}

export interface Series {
  readonly label: string
  readonly family: string
  /** x, y and, where known, the interval of y. */
  readonly points: readonly (readonly [number, number] | readonly [number, number, number, number])[]
}

export interface Box {
  readonly label: string
  readonly family: string
  /** Name among several boxes side by side, such as an attack. */
  readonly series: string
  /** Minimum, quartiles and maximum. */
  readonly five: readonly [number, number, number, number, number]
}

export interface Bar {
  readonly label: string
  readonly family: string
  readonly value: number
  readonly range?: readonly [number, number]
  readonly paper?: number
}

/** A chart of a report. */
export type Chart = ChartBase &
  (
    | {
        readonly kind: 'scatter'
        readonly sizeLabel?: string
        readonly points: readonly Point[]
        /** Draws the line on which both axes have the same value. */
        readonly diagonal?: true
        /** Shades a range of x, and says in a few words what it is. */
        readonly band?: { readonly x: readonly [number, number]; readonly label: string }
      }
    | { readonly kind: 'lines'; readonly series: readonly Series[]; readonly diagonal?: true }
    | { readonly kind: 'boxes'; readonly boxes: readonly Box[] }
    | {
        readonly kind: 'bars'
        readonly bars: readonly Bar[]
        /** A value to compare all bars with: a line. */
        readonly line?: number
      }
  )

export type ChartOf<Kind extends Chart['kind']> = Extract<Chart, { readonly kind: Kind }>

/** A substitute for a part of the paper's experiment. */
export interface StandIn {
  readonly paper: string
  readonly here: string
}

/** Tables and charts as plain data; everything printed is derived from it. */
export interface Report {
  /** File name, without extension. */
  readonly name: string
  readonly title: string
  /** The results in a few sentences. */
  readonly summary: readonly string[]
  /** Its place on the page, lowest first; reports without one follow by name. */
  readonly order?: number
  /** A sentence for the head of the page, and the chart that shows it. Absent: another report says the same. */
  readonly headline?: { readonly sentence: string; readonly chart?: string }
  /** The families that are methods, and what people call them: what a reader can filter by. */
  readonly methods?: readonly { readonly family: string; readonly label: string }[]
  readonly scale: string
  readonly standIns: readonly StandIn[]
  /** Methods and caveats. */
  readonly notes: readonly string[]
  readonly tables: readonly Table[]
  readonly charts: readonly Chart[]
  /** Texts that a reader of the page can look at. */
  readonly samples?: readonly Sample[]
  /** Everything that determined the numbers: models, data, seeds, versions. Never date or duration. */
  readonly provenance: { readonly [key: string]: string | number }
}
