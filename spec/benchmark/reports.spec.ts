/** Every report of the benchmark as a test, tagged with its name: computes what the store lacks, writes the report, compares it with the accepted one. */
import { expect, test } from 'vitest'
import { openStore, paperExperiments, type Report, studyOf, writeReport } from '../../src/bench/entry.ts'
import { FALSE_ALARM } from '../../src/bench/protocols/sentences.ts'
import { runReport } from '../../src/bench/run/driver.ts'
import { projectConfig } from '../../src/cli/commands/config.ts'
import { reportMeta, toMatchReport } from '../../src/gate/vitest/to-match-report.ts'
import { storedEqualStrength } from './equal-strength.ts'
import { stopWithTheRun } from './stop.ts'

expect.extend({ toMatchReport })
stopWithTheRun()

const experiments = paperExperiments(studyOf(undefined, await projectConfig()))
const all = Object.values(experiments)

/** Committed reports are those of the embedded scale; others go beside them. */
const folderOf = (scale: string): string =>
  process.env.UWBENCH_REPORTS || (scale === 'embedded' ? 'reports' : `reports/${scale}`)

/** At a family-wise rate of 1%, no unbiased method differs from no watermark, and the strong biased methods do at the embedded scale. */
function checkTable1({ tables, scale }: Report): void {
  if (scale === 'smoke') return
  const differs = tables[0]!.rows.filter(({ cells }) => {
    const adjusted = cells.adjusted
    return adjusted?.kind === 'derived' && adjusted.value <= FALSE_ALARM
  })
  const ids = differs.map(({ id }) => id)
  expect(ids.filter((id) => !/^(kgw|unigram)\(/.test(id))).toEqual([])
  if (scale !== 'embedded') return
  expect(ids).toContain('kgw(delta=2)')
  expect(ids).toContain('unigram(delta=2)')
}

for (const [name, experiment] of Object.entries(experiments))
  test(experiment.title, { tags: [name] }, async ({ annotate, signal, task }) => {
    const began = performance.now()
    const { scale } = experiment.study
    const folder = folderOf(scale)
    // progress goes to the reporter as annotations, which reach it while the test runs
    const stream = { isTTY: false, write: (text: string) => void annotate(text.trim(), 'progress') }
    const show = { stream, every: process.env.CI ? 30_000 : 10_000 }
    const { report, run } = await runReport(experiment, all, { folder, show, signal, store: openStore() })
    const { computed, reused, missing } = run
    const seconds = (performance.now() - began) / 1000
    const bench = { scale, folder, computed, reused, missing: missing.length, seconds }
    Object.assign(task.meta, { bench })
    if (!report) return
    if (name === 'table1') checkTable1(report)
    // the numbers of a report of charts alone are compared where they stand in a table
    if (report.tables.length === 0) Object.assign(task.meta, { uwbench: reportMeta(report) })
    else await expect(report).toMatchReport({ falseAlarm: 1e-4 })
  })

test('Equal strength', { tags: ['equalStrength'] }, async () => {
  const report = storedEqualStrength()
  for (const { rows } of report.tables) {
    const perplexity = rows.map(({ cells }) => (cells.perplexity as { value: number } | undefined)?.value)
    // the biased methods are the first two
    for (const [i, value] of perplexity.entries()) if (value !== undefined) expect(value > 0).toBe(i < 2)
  }
  await writeReport(report, process.env.UWBENCH_REPORTS || 'reports')
  await expect(report).toMatchReport({ falseAlarm: 1e-4 })
})
