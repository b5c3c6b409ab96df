// A worker of its own process, to be killed by tests: TRACE=FILE PAUSE=MS node run-worker.mjs URL LOCK_SECONDS. SIGTERM drains it.
import { work } from '../../../dist/bench/cells/queue/work.js'

const [url, lockSeconds] = process.argv.slice(2)
const drain = new AbortController()
process.once('SIGTERM', () => drain.abort())
const done = await work({
  url,
  steps: new URL('./traced-steps.mjs', import.meta.url).href,
  resources: {},
  threads: 1,
  lockSeconds: Number(lockSeconds),
  tries: 1000, // kills of tests are no fault of a cell
  signal: drain.signal,
  log: (line) => process.stdout.write(`${line}\n`),
})
process.stdout.write(`drained after ${done} cells\n`)
process.exit(0)
