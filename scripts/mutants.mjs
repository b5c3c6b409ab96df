// Runs wrong and correct watermarks against the laws on all cores and writes reports/mutants.md. An interrupted run resumes.
//   npm run mutants                        everything
//   npm run mutants -- --part=table        one part: table, gross, default or counts
//   npm run mutants -- --seed=7 --shard=1/4   a quarter of the jobs; each writes what is known into the report
//   npm run mutants -- --part=gross --store=reports/mutants   keeps results where they can be committed as they come
// Results are kept in STORE/CODE/SEED/ (.uwbench/mutants by default), where CODE is the digest of everything that runs: a changed law or mutant starts afresh. To
// join shards of several machines, copy their files there and rerun.
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'

const isWorker = process.send !== undefined
const bundle = isWorker ? process.argv[3] : await bundled()
const { jobs, PARTS, killTable, problems } = await import(pathToFileURL(bundle))

if (isWorker) work(Number(process.argv[2]))
else await main()

/** One file with everything: calls from module to module are direct in it, which saves an eighth of the time. An interrupted run removes it. */
async function bundled() {
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-mutants-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
    process.on(signal, () => process.exit(code))
  const file = join(folder, 'kill-table.mjs')
  await build({
    input: fileURLToPath(new URL('../spec/mutants/kill-table.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'es', codeSplitting: false },
  })
  return file
}

/** A worker is sent the number of a job and sends back what was found. */
function work(seed) {
  process.on('message', async (i) => process.send({ i, findings: await jobs[i].run(seed) }))
  process.send({})
}

function options() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      part: { type: 'string' },
      shard: { type: 'string', default: '1/1' },
      store: { type: 'string', default: '.uwbench/mutants' },
    },
  })
  const [shard, shards] = values.shard.split('/').map(Number)
  if (!(Number.isInteger(shard) && Number.isInteger(shards) && shard >= 1 && shard <= shards))
    throw new RangeError(`--shard: expected K/N with K from 1 to N, got '${values.shard}'`)
  if (values.part !== undefined && !PARTS.includes(values.part))
    throw new RangeError(`--part: expected one of ${PARTS.join(', ')}, got '${values.part}'`)
  if (values.seed !== undefined && !/^-?\d+$/.test(values.seed))
    throw new RangeError(`--seed: expected an integer, got '${values.seed}'`)
  return { seed: values.seed, part: values.part, shard, shards, folder: values.store }
}

/** The seed that was asked for, that of an unfinished run, or a fresh one. */
function seedOf(asked, folder) {
  const file = join(folder, 'seed')
  const seed = Number(
    asked ?? (existsSync(file) ? readFileSync(file, 'utf8') : crypto.getRandomValues(new Int32Array(1))[0]),
  )
  mkdirSync(join(folder, String(seed)), { recursive: true })
  writeFileSync(file, String(seed))
  return seed
}

function keyOf({ part, name }) {
  return `${part}: ${name}`
}

/** Results of all shards, by job. A last line that was cut off is computed again. */
function stored(folder) {
  const byKey = new Map()
  for (const file of readdirSync(folder))
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)) {
      try {
        const { key, findings } = JSON.parse(line)
        byKey.set(key, findings)
      } catch {
        console.error(`${join(folder, file)}: corrupt entry; recomputing`)
      }
    }
  return jobs.map((job) => byKey.get(keyOf(job)))
}

async function main() {
  const { seed: asked, part, shard, shards, folder: kept } = options()
  const code = createHash('sha256').update(readFileSync(bundle)).digest('hex').slice(0, 16)
  const store = join(kept, code)
  const seed = seedOf(asked, store)
  const folder = join(store, String(seed))
  const file = join(folder, `${shard}-of-${shards}.jsonl`)
  const before = stored(folder)
  const todo = [...jobs.keys()].filter(
    (i) =>
      before[i] === undefined && (part === undefined || jobs[i].part === part) && i % shards === shard - 1,
  )
  console.error(`seed ${seed}: ${todo.length} of ${jobs.length} jobs to do; rerun the command to resume`)
  await run(seed, todo, (i, findings) =>
    appendFileSync(file, `\n${JSON.stringify({ key: keyOf(jobs[i]), findings })}\n`),
  )
  const done = stored(folder)
  for (const problem of problems(done)) {
    console.error(problem)
    process.exitCode = 1
  }
  const missing = done.filter((findings) => findings === undefined).length
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/mutants.md', killTable(seed, done))
  console.error('wrote reports/mutants.md')
  if (missing > 0)
    console.error(`${missing} jobs are missing, as the report says; rerun the command to resume`)
  else rmSync(join(store, 'seed'))
}

/** Hands each worker that is free the next job. */
async function run(seed, todo, keep) {
  let next = 0
  let ended = 0
  const serve = (child) => (message) => {
    if (message.findings !== undefined) {
      keep(message.i, message.findings)
      const by = message.findings
        .filter(({ fails }) => fails > 0)
        .map(({ law, fails }) => `${law} (${fails})`)
      console.error(
        `${++ended}/${todo.length} ${keyOf(jobs[message.i])}: ${by.join(', ') || 'no law rejects it'}`,
      )
    }
    if (next < todo.length) child.send(todo[next++])
    else child.disconnect()
  }
  const start = () =>
    new Promise((resolve, reject) => {
      // every core has a worker: threads that collect garbage beside it would only wait for it
      const child = fork(fileURLToPath(import.meta.url), [String(seed), bundle], {
        execArgv: ['--single-threaded-gc'],
      })
      // a job takes minutes, and nobody waits for it any more
      process.on('exit', () => child.kill('SIGKILL'))
      child.on('message', serve(child))
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
    })
  await Promise.all(Array.from({ length: Math.min(todo.length, availableParallelism()) }, start))
}
