/** A benchmark without end, for spec/bench/interrupted.spec.ts: its steps never yield, its workers never answer. */
import { test } from 'vitest'
import { cell } from '../../../src/bench/cells/cell.ts'
import { runCells } from '../../../src/bench/cells/runner.ts'
import { openStore } from '../../../src/bench/cells/store.ts'
import { stopWithTheRun } from '../../benchmark/stop.ts'

stopWithTheRun()

const steps = `data:text/javascript,${encodeURIComponent(`
  export const steps = { endless: { run() { for (;;); } } }
`)}`

test('without end', { timeout: 0 }, async ({ annotate, signal }) => {
  void annotate('0/2 cells', 'progress')
  const cells = [1, 2].map((n) => cell('endless', { n }))
  const store = openStore(process.env.UWBENCH_STORE!)
  const progress = { done() {}, warn() {}, end() {} }
  await runCells(cells, { steps, store, workers: 2, progress, signal })
})
