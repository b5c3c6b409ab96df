// Rounds of chaos on a real Redis, and what came of them: node scripts/chaos.mjs [ROUNDS] [WORKERS] writes reports/chaos.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

register(new URL('./typescript-hook.mjs', import.meta.url))
const { chaos, undisturbed } = await import('../spec/bench/queue/chaos.ts')

const [rounds, workers] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 8)]
const folder = mkdtempSync(join(tmpdir(), 'uwbench-chaos-'))
const { report, cells } = await undisturbed(join(folder, 'local'))
const results = []

const sum = (values) => values.reduce((a, b) => a + b, 0)
const range = (values) =>
  `${Math.min(...values)} to ${Math.max(...values)}, ${(sum(values) / values.length).toFixed(1)} on average`

function write() {
  const of = (name) => results.map((result) => result[name])
  const lines = [
    '# Chaos on the queue',
    '',
    'Each round computes a study of the toy model on workers behind a Redis queue. Workers are killed at random (kill -9) and',
    'replaced, Redis is killed and started twice, and the submitter is killed and started once. `node scripts/chaos.mjs 50 8` writes this page.',
    '',
    '| | |',
    '|---|---|',
    `| rounds | ${results.length} |`,
    `| workers | ${workers} |`,
    `| cells per round | ${cells} |`,
    `| kills of workers, in all | ${sum(of('kills'))} |`,
    `| restarts of Redis and of the submitter, in all | ${sum(of('restarts'))} |`,
    `| reports byte-identical to an undisturbed local run | ${sum(of('same'))} of ${results.length} |`,
    `| computations begun per round | ${range(of('begun'))} |`,
    `| rounds with at most cells + (kills + restarts) x workers computations | ${sum(of('bounded'))} of ${results.length} |`,
    `| rounds with a job left in Redis or a draft left in the store | ${sum(of('orphaned'))} of ${results.length} |`,
    `| workers that drained with exit code 0 | ${sum(of('drained'))} of ${results.length * workers} |`,
    '',
  ]
  writeFileSync(new URL('../reports/chaos.md', import.meta.url), lines.join('\n'))
}

for (let i = 0; i < rounds; i++) {
  const own = join(folder, `${i}`)
  mkdirSync(own)
  const kills = workers
  const round = await chaos({ folder: own, workers, kills, pause: 150, random: Math.random })
  results.push({
    kills: round.kills,
    restarts: round.restarts,
    begun: round.begun,
    same: Number(JSON.stringify(round.report) === JSON.stringify(report)),
    bounded: Number(round.begun <= cells + (round.kills + round.restarts) * workers),
    orphaned: Number(round.orphans.length + round.drafts.length > 0),
    drained: round.drained.filter((code) => code === 0).length,
  })
  console.log(`round ${i + 1}: ${JSON.stringify(results.at(-1))} in ${round.seconds.toFixed(1)} s`)
  if (round.orphans.length > 0) console.log(round.orphans.join(' '))
  write()
  rmSync(own, { recursive: true })
}
rmSync(folder, { recursive: true })
