// Submits the study and writes its report: node run-submitter.mjs STORE REPORTS [URL]; without an address it computes here.
import { openStore, runExperiment, writeReport } from '../../../dist/bench/index.js'
import { experiment } from './study.mjs'

const [store, reports, queue] = process.argv.slice(2)
const { report } = await runExperiment(experiment(), {
  store: openStore(store),
  workers: 0,
  ...(queue ? { queue } : {}),
  progress: { done() {}, warn: (line) => process.stdout.write(`${line}\n`), end() {} },
})
await writeReport(report, reports)
