// Runs part of the toy study in a process of its own: node run-study.mjs STORE REPORTS. Prints a line per finished cell.
import { register } from 'node:module'

register(new URL('../../scripts/typescript-hook.mjs', import.meta.url))
const { openStore, paperExperiments, runExperiment, writeReport } = await import('../../src/bench/entry.ts')
const { toyStudy } = await import('./toy-study.ts')
const [store, reports] = process.argv.slice(2)
const progress = { done: (label) => process.stdout.write(`${label}\n`), warn() {}, end() {} }
const { table1, table4, figure2 } = paperExperiments(toyStudy())
for (const experiment of [table1, table4, figure2]) {
  const { report } = await runExperiment(experiment, { store: openStore(store), workers: 0, progress })
  if (report) await writeReport(report, reports)
}
