/**
 * Decides whether a rerun gave the same result. Two honest runs differ by chance; a cell differs when the distance is beyond what both sample
 * sizes explain. The rate of false alarms is for a whole report: all cells share it (Bonferroni), whatever they depend on.
 * Proportions by Fisher's exact test, means by Welch's t, anything with a standard error by the normal law, medians by
 * disjoint order-statistic intervals, deterministic numbers by equality. What is derived from numbers that are compared
 * themselves (a p-value, a verdict) is not compared again.
 */

import { fisherTest, logNormalTail, logStudentTail } from '../../core/stats/index.ts'
import { number, refuseUnknown } from '../../input.ts'
import { formatValue } from './format.ts'
import type { Column, Report, Table, Value } from './report.ts'
import { counted, verb } from './sentence.ts'
import { requireTables } from './shape.ts'

/** The chance, per side, that a median's `guard` interval misses the true median. */
export const guardTail = 2.5e-8

interface Difference {
  readonly table: string
  readonly row: string
  readonly column: string
  readonly accepted: string
  readonly now: string
  /** Chance of such a difference between honest runs; 0 where chance cannot explain it. */
  readonly pValue: number
}

/** Differences of a report from an accepted one. */
export interface Comparison {
  readonly cells: number
  /** Rate of false alarms for the whole report. */
  readonly falseAlarm: number
  /** Level of a single cell. */
  readonly level: number
  readonly differences: readonly Difference[]
}

/** Two-sided p-value of two means with their own variances; samples without any spread must agree. */
function welch(
  a: { value: number; sd: number; n: number },
  b: { value: number; sd: number; n: number },
): number {
  const [u, v] = [a.sd ** 2 / a.n, b.sd ** 2 / b.n]
  if (u + v === 0) return close(a.value, b.value) ? 1 : 0
  const df = (u + v) ** 2 / (u ** 2 / Math.max(1, a.n - 1) + v ** 2 / Math.max(1, b.n - 1))
  return 2 * Math.exp(logStudentTail(Math.abs(a.value - b.value) / Math.sqrt(u + v), df))
}

/** Equal but for the last bits, which differ between machines. */
const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

const isDerived = (v: Value): boolean =>
  v.kind === 'derived' || v.kind === 'place' || ('derived' in v && v.derived === true)

/** The p-value of "both values come from the same law". */
export function sameValue(a: Value, b: Value): number {
  if (a.kind === 'proportion' && b.kind === 'proportion') return fisherTest(a.hits, a.n, b.hits, b.n)
  if (a.kind === 'mean' && b.kind === 'mean') return welch(a, b)
  if (isDerived(a) && isDerived(b)) return 1
  if (a.kind === 'estimate' && b.kind === 'estimate') {
    const se = Math.hypot(a.se, b.se)
    if (se === 0) return close(a.value, b.value) ? 1 : 0
    return 2 * Math.exp(logNormalTail(Math.abs(a.value - b.value) / se))
  }
  if (a.kind === 'median' && b.kind === 'median')
    return a.guard[1] < b.guard[0] || b.guard[1] < a.guard[0] ? 0 : 1
  if (a.kind === 'exact' && b.kind === 'exact') return close(a.value, b.value) ? 1 : 0
  return a.kind === b.kind && a.value === b.value ? 1 : 0
}

interface Pair {
  readonly at: { table: string; row: string; column: string }
  readonly column: Column
  readonly accepted: Value | null | undefined
  readonly now: Value | null | undefined
}

/** All cells that either report has, side by side. */
function pairs(accepted: Report, report: Report): Pair[] {
  const tables = new Map<string, { a?: Table; b?: Table }>()
  for (const table of accepted.tables) tables.set(table.id, { a: table })
  for (const table of report.tables) tables.set(table.id, { ...tables.get(table.id), b: table })
  return [...tables].flatMap(([table, { a, b }]) => {
    const columns = new Map(
      [...(a?.columns ?? []), ...(b?.columns ?? [])].map((column) => [column.id, column]),
    )
    const rowsOf = (t?: Table) => new Map((t?.rows ?? []).map((row) => [row.id, row.cells]))
    const [before, after] = [rowsOf(a), rowsOf(b)]
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((row) =>
      [...columns].map(([id, column]) => ({
        at: { table, row, column: id },
        column,
        accepted: before.get(row)?.[id],
        now: after.get(row)?.[id],
      })),
    )
  })
}

export interface CompareOptions {
  /** Chance that an honest rerun of the whole report fails. Default 1e-4. */
  readonly falseAlarm?: number
}

/**
 * Compares a report with an accepted one of the same experiment.
 * @example
 * const report = { name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }
 * compareReports(report, report).differences // []
 */
export function compareReports(accepted: Report, report: Report, options: CompareOptions = {}): Comparison {
  refuseUnknown('compareReports', options, ['falseAlarm'])
  const { falseAlarm = 1e-4 } = options
  number('falseAlarm', falseAlarm, 0, 1)
  requireTables('accepted', accepted)
  requireTables('report', report)
  const all = pairs(accepted, report).filter(({ accepted, now }) => accepted || now)
  const medians = all.filter(({ now }) => now?.kind === 'median').length
  const sampled = all.filter(
    ({ now }) => now && !isDerived(now) && ['proportion', 'mean', 'estimate'].includes(now.kind),
  ).length
  const level = Math.max(0, falseAlarm - medians * 4 * guardTail) / Math.max(1, sampled)
  const differences = all.flatMap(({ at, column, accepted, now }) => {
    const pValue = accepted && now ? sameValue(accepted, now) : 0
    if (pValue > level || (pValue === level && level > 0)) return []
    return [{ ...at, accepted: formatValue(accepted, column), now: formatValue(now, column), pValue }]
  })
  return { cells: all.length, falseAlarm, level, differences }
}

/** The message of a comparison that fails. */
export function explain(name: string, comparison: Comparison): string {
  const { differences, cells, falseAlarm, level } = comparison
  const lines = differences.slice(0, 12).map(({ table, row, column, accepted, now, pValue }) => {
    const chance = pValue > 0 ? `p = ${pValue.toExponential(1)}` : 'not by chance'
    return `  ${table} / ${row} / ${column}: accepted ${accepted}, now ${now} (${chance})`
  })
  const more = differences.length > lines.length ? [`  and ${differences.length - lines.length} more`] : []
  return [
    `${name}: ${differences.length} of ${counted(cells, 'cell')} ${verb(differences.length, 'differs', 'differ')} from the accepted report beyond chance`,
    ...lines,
    ...more,
    `An honest rerun fails with probability at most ${falseAlarm} for the whole report (${level.toExponential(1)} per cell).`,
    'If the change is intended, accept it with vitest -u.',
  ].join('\n')
}
