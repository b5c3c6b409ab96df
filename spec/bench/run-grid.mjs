// Runs the grid in a process of its own, to be killed by the test: node run-grid.mjs STORE LOG SIZE PAUSE WORKERS
import '../../scripts/typescript-hook.mjs'
import { register } from 'node:module'

register(new URL('../../scripts/typescript-hook.mjs', import.meta.url))
const { runCells } = await import('../../src/bench/cells/runner.ts')
const { openStore } = await import('../../src/bench/cells/store.ts')
const { grid, stepsUrl } = await import('./grid.ts')
const [store, log, size, pause, workers] = process.argv.slice(2)
const { pairs, total } = grid(Number(size))
const result = await runCells([...pairs, total], {
  steps: stepsUrl,
  resources: { log, pause: Number(pause) },
  store: openStore(store, { warn: () => {} }),
  workers: Number(workers),
  progress: { done() {}, warn() {}, end() {} },
})
console.log(JSON.stringify([result.computed, result.value(total)]))
