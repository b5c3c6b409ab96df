// Runs every mutant against every law on all cores, prints the kill table and writes reports/mutants.md. Takes several minutes.
// `npm run mutants -- SEED` repeats a run.
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const seed =
  process.argv[2] === undefined ? crypto.getRandomValues(new Int32Array(1))[0] : Number(process.argv[2])
const { module } = await runnerImport('./spec/mutants/kill-table.ts')
const { tried, verdictsOn, rejectedBy, killTable } = module

if (process.send === undefined) await main()
else work()

/** A worker is sent the number of a mutant and sends back what the laws say. */
function work() {
  process.on('message', async (i) => process.send({ i, verdicts: await verdictsOn(tried[i], seed) }))
  process.send({})
}

/** Hands each worker that is free the next mutant. */
async function main() {
  const verdicts = []
  let next = 0
  let done = 0
  const serve = (child) => (message) => {
    if (message.verdicts !== undefined) {
      verdicts[message.i] = message.verdicts
      const by = rejectedBy(message.verdicts)
      const { family, name } = tried[message.i]
      console.error(
        `${++done}/${tried.length} ${family}: ${name}: ${by.length > 0 ? `law ${by.join(', ')}` : 'survives'}`,
      )
    }
    if (next < tried.length) child.send(next++)
    else child.disconnect()
  }
  const start = () =>
    new Promise((resolve, reject) => {
      const child = fork(fileURLToPath(import.meta.url), [String(seed)])
      child.on('message', serve(child))
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
    })
  await Promise.all(Array.from({ length: availableParallelism() }, start))
  const table = killTable(seed, verdicts)
  console.log(table)
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/mutants.md', table)
}
