// Runs every mutant against every law, prints the kill table and writes reports/mutants.md. Takes several minutes.
// `npm run mutants -- SEED` repeats a run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { runnerImport } from 'vite'

const seed =
  process.argv[2] === undefined ? crypto.getRandomValues(new Int32Array(1))[0] : Number(process.argv[2])
const { module } = await runnerImport('./spec/mutants/kill-table.ts')
const table = await module.killTable(seed, (line) => console.error(line))
console.log(table)
mkdirSync('reports', { recursive: true })
writeFileSync('reports/mutants.md', table)
