/** One experiment as a test: compute what the store lacks, write the report, compare it with the accepted one. */
import { expect, test } from 'vitest'
import { secondsFor } from '../../src/bench/experiment.ts'
import {
  openStore,
  paperExperiments,
  type Report,
  runExperiment,
  studyOf,
  writeReport,
} from '../../src/bench/index.ts'
import { progress } from '../../src/bench/progress.ts'
import { projectConfig } from '../../src/commands/config.ts'
import { toMatchReport } from '../../src/vitest/to-match-report.ts'
import { stopWithTheRun } from './stop.ts'

expect.extend({ toMatchReport })

const experiments = paperExperiments(studyOf(undefined, await projectConfig()))

stopWithTheRun()

/** Committed reports are those of the embedded scale; others go beside them. */
const folderOf = (scale: string): string =>
  process.env.UWBENCH_REPORTS || (scale === 'embedded' ? 'reports' : `reports/${scale}`)

/** Progress goes to the reporter as annotations, which reach it while the test runs. */
const live = { isTTY: false, every: process.env.CI ? 30_000 : 10_000 }

export function benchmark(name: keyof typeof experiments, check?: (report: Report) => void): void {
  const experiment = experiments[name]
  test(experiment.title, { tags: [name] }, async ({ annotate, signal, task }) => {
    const began = performance.now()
    const line = (text: string) => void annotate(text.trim(), 'progress')
    // reports come one by one: the estimate for all of them needs what the others still have to compute
    const store = openStore()
    const others = await secondsFor(Object.values(experiments), experiment, store)
    const show = (cells: number, cost: number) =>
      progress({
        title: experiment.name,
        cells,
        cost,
        others,
        stream: { ...live, write: line },
        every: live.every,
      })
    const { report, run } = await runExperiment(experiment, { progress: show, signal, store })
    const { computed, reused, missing } = run
    const seconds = (performance.now() - began) / 1000
    const { scale } = experiment.study
    const folder = folderOf(scale)
    const bench = { scale, folder, computed, reused, missing: missing.length, seconds }
    Object.assign(task.meta, { bench })
    if (!report) return
    await writeReport(report, folder)
    check?.(report)
    await expect(report).toMatchReport({ falseAlarm: 1e-4 })
  })
}
