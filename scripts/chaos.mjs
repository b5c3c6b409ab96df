// Rounds of chaos on a real Redis, and what came of them: node scripts/chaos.mjs [ROUNDS] [WORKERS] writes reports/chaos.md. Needs `npm run build`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

register(new URL('./typescript-hook.mjs', import.meta.url))
const { chaos, undisturbed } = await import('../spec/bench/queue/chaos.ts')

const [rounds, workers] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 8)]
const folder = mkdtempSync(join(tmpdir(), 'uwbench-chaos-'))
const { report, cells } = await undisturbed(join(folder, 'local'), 'smoke')
const results = []

const sum = (values) => values.reduce((a, b) => a + b, 0)
const range = (values) =>
  `${Math.min(...values)} to ${Math.max(...values)}, ${(sum(values) / values.length).toFixed(1)} on average`

function write() {
  const of = (name) => results.map((result) => result[name])
  const lines = [
    '# Chaos on the queue',
    '',
    'Each round is `uwbench bench --scale smoke`, all tables and figures, on workers behind a Redis queue. Workers are killed at random (kill -9) and',
    'replaced, Redis is killed and started twice, and the submitter is killed and started once, with up to 3 s between two of these. `node scripts/chaos.mjs 50 8` writes this page.',
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
    `| seconds per round | ${range(of('seconds'))} |`,
    '',
  ]
  writeFileSync(new URL('../reports/chaos.md', import.meta.url), lines.join('\n'))
}

for (let i = 0; i < rounds; i++) {
  const own = join(folder, `${i}`)
  mkdirSync(own)
  const kills = workers
  const round = await chaos({
    folder: own,
    scale: 'smoke',
    gap: 3000,
    workers,
    kills,
    pause: 0,
    random: Math.random,
  })
  results.push({
    kills: round.kills,
    restarts: round.restarts,
    begun: round.begun,
    same: Number(JSON.stringify(round.report) === JSON.stringify(report)),
    bounded: Number(round.begun <= cells + (round.kills + round.restarts) * workers),
    orphaned: Number(round.orphans.length + round.drafts.length > 0),
    drained: round.drained.filter((code) => code === 0).length,
    seconds: Math.round(round.seconds),
  })
  console.log(`round ${i + 1}: ${JSON.stringify(results.at(-1))}`)
  if (round.orphans.length > 0) console.log(round.orphans.join(' '))
  write()
  rmSync(own, { recursive: true })
}
rmSync(folder, { recursive: true })
