/** The three scores of table 7, recomputed from tables 1 to 6 and compared to the printed digit. */

import type { Figure } from '../figure.ts'
import { around, type Interval, meet } from '../interval.ts'
import { type Method, methods } from '../methods.ts'
import {
  type AttackedRates,
  attacks,
  detectabilityRange,
  detectabilityScore,
  impliedMedianP,
  type RobustnessInput,
  robustnessRange,
  robustnessScore,
  unbiasednessRange,
  unbiasednessScore,
} from '../scores.ts'
import { type PublishedTable, rowFor } from '../table.ts'
import { publishedTables, type Tables } from '../tables/index.ts'

export type Axis = 'unbiasedness' | 'detectability' | 'robustness'
export const axes: readonly Axis[] = ['unbiasedness', 'detectability', 'robustness']

/**
 * `agrees`: the recomputed score rounds to the printed one. `rounding`: it does not, but some figures that round
 * to the printed inputs give it. `disagrees`: no such figures do.
 */
export type Agreement = 'agrees' | 'rounding' | 'disagrees'

/** One score, printed and recomputed. */
export interface ScoreCell {
  readonly method: Method
  readonly axis: Axis
  readonly printed: number
  readonly recomputed: number
  /** All values that the printed inputs can give, with their rounding. */
  readonly range: Interval
  readonly agreement: Agreement
  /** Detectability: the median p-value that the printed score asks for, beside the median that table 3 prints. */
  readonly medianP?: { readonly printed: number; readonly implied: number }
}

/** The same part of every figure of a row. */
const take = <Column extends string, T>(
  table: PublishedTable<Column>,
  method: Parameters<typeof rowFor>[1],
  f: (figure: Figure) => T,
): Record<Column, T> => {
  const figures = Object.entries<Figure>(rowFor(table, method).figures)
  return Object.fromEntries(figures.map(([column, value]) => [column, f(value)])) as Record<Column, T>
}

const unbiasednessInput = <T>(tables: Tables, method: Method, f: (figure: Figure) => T) => ({
  oneShot: Object.values<T>(take(tables.oneShot, method, f)),
  repeated: Object.values<T>(take(tables.repeated, method, f)),
  none: {
    oneShot: Object.values<T>(take(tables.oneShot, 'none', f)),
    repeated: Object.values<T>(take(tables.repeated, 'none', f)),
  },
})

const detectabilityInput = <T>(tables: Tables, method: Method, f: (figure: Figure) => T) => {
  const row = take(tables.detection, method, f)
  return {
    tpr5: row['TPR at 5%'],
    tpr1: row['TPR at 1%'],
    tpr01: row['TPR at 0.1%'],
    medianP: row['median p-value'],
    auroc: row.AUROC,
  }
}

const robustnessInput = <T>(tables: Tables, method: Method, f: (figure: Figure) => T): RobustnessInput<T> => {
  const { attackedAt5, attackedAt1, attackedAt01 } = tables
  const [at5, at1, at01] = [attackedAt5, attackedAt1, attackedAt01].map((table) => take(table, method, f))
  const rates = attacks.map((a): [string, AttackedRates<T>] => [
    a,
    { at5: at5![a], at1: at1![a], at01: at01![a] },
  ])
  return Object.fromEntries(rates) as RobustnessInput<T>
}

const value = (figure: Figure): number => figure.value
const recompute: Record<Axis, (tables: Tables, method: Method) => { recomputed: number; range: Interval }> = {
  unbiasedness: (tables, method) => ({
    recomputed: unbiasednessScore(unbiasednessInput(tables, method, value)),
    range: unbiasednessRange(unbiasednessInput(tables, method, around)),
  }),
  detectability: (tables, method) => ({
    recomputed: detectabilityScore(detectabilityInput(tables, method, value)),
    range: detectabilityRange(detectabilityInput(tables, method, around)),
  }),
  robustness: (tables, method) => ({
    recomputed: robustnessScore(robustnessInput(tables, method, value)),
    range: robustnessRange(robustnessInput(tables, method, around)),
  }),
}

/** One score of one method, printed and recomputed. */
export function auditScore(method: Method, axis: Axis, tables: Tables = publishedTables): ScoreCell {
  const printed = rowFor(tables.scores, method).figures[axis]
  const { recomputed, range } = recompute[axis](tables, method)
  const slack = 1e-12 // a recomputed value on the very edge may lie on either side in floating point
  const agreement =
    Math.abs(recomputed - printed.value) <= printed.halfUnit + slack
      ? 'agrees'
      : meet(range, around(printed))
        ? 'rounding'
        : 'disagrees'
  const cell = { method, axis, printed: printed.value, recomputed, range, agreement } as const
  if (axis !== 'detectability') return cell
  const input = detectabilityInput(tables, method, value)
  return { ...cell, medianP: { printed: input.medianP, implied: impliedMedianP(printed.value, input) } }
}

/** All 57 scores. */
export const auditScores = (tables: Tables): ScoreCell[] =>
  axes.flatMap((axis) => methods.map((method) => auditScore(method, axis, tables)))
