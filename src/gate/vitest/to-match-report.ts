/**
 * `expect(report).toMatchReport()` compares a report statistically (see report/compare.ts) with the accepted one of the same scale,
 * `__reports__/SCALE/NAME.json` beside the test file. `vitest -u` accepts the new numbers. The first run writes the accepted report;
 * in CI a missing one is a failure. Where one of the two machines lacks an optional part (an attack by an external program), what both
 * have is compared. Where nothing can be compared, since a part was made by other means (another encoder) or since no cell is
 * shared, the matcher fails: a pass always rests on numbers.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MatcherState } from 'vitest'
import type { Report } from '../../bench/report/index.ts'
import { type CompareOptions, compareReports, explain } from '../../bench/report/index.ts'
import { Snapshots } from './vitest.ts'

/** An accepted report as it is kept: the numbers and what they stand in for, not the pictures. */
const accepted = ({ name, scale, standIns, tables }: Report): string =>
  `${JSON.stringify({ name, scale, standIns, tables }, null, 1)}\n`

/** Parts that both reports have, made by other means, in words. */
const replaced = (before: Report, now: Report): string[] =>
  before.standIns.flatMap(({ paper, here }) => {
    const other = now.standIns.find((one) => one.paper === paper)
    return other === undefined || other.here === here ? [] : [`${here}; here: ${other.here}`]
  })

const isSame = (a: Report, b: Report): boolean => JSON.stringify(a.standIns) === JSON.stringify(b.standIns)

/** The cells of a report that another one has too. */
function sharedWith(report: Report, other: Report): Report {
  const tables = report.tables.flatMap((table) => {
    const twin = other.tables.find(({ id }) => id === table.id)
    if (twin === undefined) return []
    const columns = table.columns.filter(({ id }) => twin.columns.some((column) => column.id === id))
    const rows = table.rows
      .filter(({ id }) => twin.rows.some((row) => row.id === id))
      .map((row) => ({
        ...row,
        cells: Object.fromEntries(
          columns.flatMap(({ id }) => (id in row.cells ? [[id, row.cells[id]!]] : [])),
        ),
      }))
    return [{ ...table, columns, rows }]
  })
  return { ...report, tables }
}

/** Rows of a report as they travel to a reporter: plain JSON in `task.meta.uwbench`. */
export interface ReportMeta {
  readonly name: string
  readonly title: string
  readonly summary: readonly string[]
  readonly cells: number
  readonly falseAlarm?: number
  readonly rows: Report['tables'][number]['rows']
}

/** The facts of a report that a reporter shows; `toMatchReport` leaves them in `task.meta.uwbench`. */
export function reportMeta({ name, title, summary, tables }: Report): ReportMeta {
  const cells = tables.reduce((sum, table) => sum + table.rows.length * table.columns.length, 0)
  return { name, title, summary, cells, rows: tables[0]?.rows ?? [] }
}

interface Outcome {
  pass: boolean
  message: () => string
}

/** The matcher. Register it with `expect.extend({ toMatchReport })`. */
export async function toMatchReport(
  this: MatcherState,
  report: Report,
  options: CompareOptions = {},
): Promise<Outcome> {
  const file = join(dirname(this.testPath ?? '.'), '__reports__', report.scale, `${report.name}.json`)
  const update = this.snapshotState.snapshotUpdateState
  const { name } = report
  // a comparison that did not take place fails with `.not` too
  const failed = (message: string): Outcome => ({ pass: this.isNot === true, message: () => message })
  if (this.task) Object.assign(this.task.meta, { uwbench: reportMeta(report) })
  if (update === 'all' || (update === 'new' && !existsSync(file)))
    return Snapshots.toMatchFileSnapshot.call(this, accepted(report), file) as Promise<Outcome>
  if (!existsSync(file))
    return failed(`${name}: no accepted report at ${file}; run vitest -u to accept this one`)
  // only the numbers are kept of an accepted report; the rest is not compared
  const before: Report = { ...report, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Report>) }
  const others = replaced(before, report)
  if (others.length > 0)
    return failed(
      `${name}: not compared with the accepted report, which rests on ${others.join('; ')}; rerun with the same parts, or accept this report with vitest -u`,
    )
  const comparison = isSame(before, report)
    ? compareReports(before, report, options)
    : compareReports(sharedWith(before, report), sharedWith(report, before), options)
  if (comparison.cells === 0)
    return failed(`${name}: nothing to compare: expected a cell that the accepted report at ${file} has too`)
  return { pass: comparison.differences.length === 0, message: () => explain(name, comparison) }
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that is merged with has this parameter
  interface Matchers<T = any> {
    /** Compares a report with the accepted one in `__reports__/`, at a stated rate of false alarms. */
    toMatchReport: (options?: CompareOptions) => Promise<T>
  }
}
