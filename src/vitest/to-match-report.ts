/**
 * `expect(report).toMatchReport()` compares a report statistically (see report/compare.ts) with the accepted one of the same scale,
 * `__reports__/SCALE/NAME.json` beside the test file. `vitest -u` accepts the new numbers. The first run writes the accepted report;
 * in CI a missing one is a failure. A machine that lacks an optional part (a program, a model that is fetched), or has one more, computes
 * other numbers: reports with other stand-ins are not compared, which is said.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MatcherState } from 'vitest'
import { type CompareOptions, compareReports, explain } from '../report/compare.ts'
import type { Report } from '../report/report.ts'
import { Snapshots } from './vitest.ts'

/** What is kept of an accepted report: the numbers and what they stand in for, not the pictures. */
const accepted = ({ name, scale, standIns, tables }: Report): string =>
  `${JSON.stringify({ name, scale, standIns, tables }, null, 1)}\n`

/** Stand-ins of one report that the other has not, in words. */
const onlyIn = (one: Report, other: Report): string[] =>
  one.standIns.map(({ here }) => here).filter((here) => !other.standIns.some((s) => s.here === here))

/** Rows of a report as they travel to a reporter: plain JSON in `task.meta.uwbench`. */
export interface ReportMeta {
  readonly name: string
  readonly title: string
  readonly summary: readonly string[]
  readonly cells: number
  readonly falseAlarm?: number
  readonly rows: Report['tables'][number]['rows']
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
  const { name, title, summary, tables } = report
  const cells = tables.reduce((sum, table) => sum + table.rows.length * table.columns.length, 0)
  const meta: ReportMeta = { name, title, summary, cells, rows: tables[0]?.rows ?? [] }
  if (this.task) Object.assign(this.task.meta, { uwbench: meta })
  if (update === 'all' || (update === 'new' && !existsSync(file)))
    return Snapshots.toMatchFileSnapshot.call(this, accepted(report), file) as Promise<Outcome>
  if (!existsSync(file))
    return {
      pass: false,
      message: () => `${name}: no accepted report at ${file}; run vitest -u to accept this one`,
    }
  // only the numbers are kept of an accepted report; the rest is not compared
  const before: Report = { ...report, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Report>) }
  const [lost, gained] = [onlyIn(before, report), onlyIn(report, before)]
  if (lost.length + gained.length > 0) {
    const [was, is] = [lost, gained].map((list) => list.join('; ') || 'none of these')
    console.warn(`${name}: not compared with the accepted report, made with other parts: ${was}; here: ${is}`)
    return { pass: true, message: () => `${name}: not compared` }
  }
  const comparison = compareReports(before, report, options)
  return { pass: comparison.differences.length === 0, message: () => explain(name, comparison) }
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that is merged with has this parameter
  interface Matchers<T = any> {
    /** Compares a report with the accepted one in `__reports__/`, at a stated rate of false alarms. */
    toMatchReport: (options?: CompareOptions) => Promise<T>
  }
}
