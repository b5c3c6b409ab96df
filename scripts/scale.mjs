// What scanning and queueing cost on this machine: node scripts/scale.mjs writes reports/scale.md, node scripts/scale.mjs --smoke its part about the
// smoke scale on a queue. Needs `npm run build` and redis-server.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

register(new URL('./typescript-hook.mjs', import.meta.url))

const methods = ['kgw(delta=2)', 'dipmark(alpha=0.4)', 'mcmark(channels=20)', 'synthid', 'gumbel']
const [TEXTS, TOKENS, ROUNDS] = [1000, 500, 5]
/** Copies of the texts in a small and in a large corpus. */
const [FEW, MANY] = [10, 60]

/** Runs of the smoke scale on threads and on a queue, in turn, and the workers of the queue. */
const [SMOKE_RUNS, WORKERS] = [5, 4]

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

function* repeated(corpus, times) {
  for (let i = 0; i < times; i++) yield* corpus
}

/** Seconds of CPU time of this process, all its threads included. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** In a process of its own: one that has seen several watermarks is up to two times slower. */
async function rates(id) {
  const { detectCorpus } = await import('../dist/bench/index.js')
  const { detectMany, parseWatermark } = await import('../dist/index.js')
  const { softmaxOver } = await import('../spec/throughput/measure.ts')
  const { zipfText } = await import('../spec/throughput/cases.ts')
  const options = { key: 'a key of some length', vocabSize: 50_257 }
  const corpus = Array.from({ length: TEXTS }, (_, seed) => zipfText(TOKENS, 50_257, seed))
  const watermark = parseWatermark(id)
  const { run: softmax } = softmaxOver(50_257)
  const timed = (run) => {
    const began = cpuSeconds()
    run()
    return cpuSeconds() - began
  }
  /** What two threads take for a corpus, by processor and by the clock on the wall. */
  const onTwo = async (times) => {
    const [cpu, wall] = [cpuSeconds(), performance.now()]
    for await (const _ of detectCorpus(watermark, repeated(corpus, times), { ...options, threads: 2 }));
    return { cpu: cpuSeconds() - cpu, wall: (performance.now() - wall) / 1000 }
  }
  const seconds = { softmax: [], one: [], wall: [], cpu: [], start: [] }
  for (let i = 0; i <= ROUNDS; i++) {
    const s = timed(() => {
      for (let j = 0; j < TEXTS; j++) softmax()
    })
    const one = timed(() => detectMany(watermark, corpus, options))
    const [few, many] = [await onTwo(FEW), await onTwo(MANY)]
    if (i === 0) continue // warm-up
    // what a further copy of the texts costs: threads take half a second to start, whatever the size of the corpus
    const cpu = (many.cpu - few.cpu) / (MANY - FEW)
    seconds.softmax.push(s)
    seconds.one.push(one)
    seconds.cpu.push(cpu)
    seconds.wall.push((many.wall - few.wall) / (MANY - FEW))
    seconds.start.push(few.cpu - FEW * cpu)
  }
  const [softmaxes, one, wall, cpu, start] = Object.values(seconds).map(median)
  const tokens = TEXTS * TOKENS
  return { one: tokens / one, ratio: one / softmaxes, two: tokens / wall, speedup: (2 * one) / cpu, start }
}

/** Milliseconds per cell that a queue adds to threads of one process, on cells that compute nothing. */
async function overhead() {
  const { startRedis } = await import('../spec/bench/queue/redis.ts')
  const { cell, openStore, runCells } = await import('../dist/bench/index.js')
  const { work } = await import('../dist/bench/cells/queue/work.js')
  const steps = 'data:text/javascript,export const steps = { same: { run: ({ x }) => x } }'
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-scale-'))
  const redis = await startRedis()
  const drain = new AbortController()
  const worker = work({ url: redis.url, steps, threads: 2, signal: drain.signal, log() {} })
  const milliseconds = { local: [], queue: [] }
  const progress = { done() {}, warn() {}, end() {} }
  for (let i = 0; i < 6; i++)
    for (const kind of ['local', 'queue']) {
      const cells = Array.from({ length: 300 }, (_, x) => cell('same', { x, kind, i }))
      const began = performance.now()
      const where = kind === 'queue' ? { queue: redis.url } : { workers: 2 }
      await runCells(cells, { steps, progress, store: openStore(join(folder, 'store')), ...where })
      if (i > 0) milliseconds[kind].push((performance.now() - began) / cells.length)
    }
  drain.abort()
  await worker
  await redis.end()
  rmSync(folder, { recursive: true })
  return { local: median(milliseconds.local), queue: median(milliseconds.queue) }
}

/** `uwbench ARGS` in a process of its own, with the CPU seconds that it has taken. */
function uwbench(args, cwd) {
  const program = fileURLToPath(new URL('../dist/cli/uwbench.js', import.meta.url))
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: 'ignore' })
  const one = { cpu: 0, child }
  const look = () => {
    try {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .split(') ')[1]
        .split(' ')
        .slice(11, 13)
      one.cpu = (Number(user) + Number(system)) / 100
    } catch {} // it has ended
  }
  const timer = setInterval(look, 100)
  one.ended = new Promise((resolve) => {
    child.once('close', (code) => {
      clearInterval(timer)
      resolve(code)
    })
  })
  return one
}

/** Seconds of the smoke scale from an empty store, by the clock on the wall and of CPU time, on threads or on workers that wait for it. */
async function smoke(redis) {
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-smoke-'))
  const queue = redis ? ['--queue', redis.url] : []
  const workers = Array.from({ length: redis ? WORKERS : 0 }, () =>
    uwbench(['worker', ...queue, '--workers', '1'], folder),
  )
  await pause(5000)
  const load = loadavg()[0]
  const before = workers.reduce((sum, { cpu }) => sum + cpu, 0) // of starting, which the other clock leaves out too
  const began = performance.now()
  const bench = uwbench(['bench', '--scale', 'smoke', '--store', 'store', '--out', 'out', ...queue], folder)
  const code = await bench.ended
  const wall = (performance.now() - began) / 1000
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
  rmSync(folder, { recursive: true })
  if (code !== 0) throw new Error(`uwbench bench ended with ${code}`)
  return { wall, cpu: [bench, ...workers].reduce((sum, { cpu }) => sum + cpu, -before), load }
}

/** The smoke scale on threads and on a queue, in turn. */
async function smokes() {
  const { startRedis } = await import('../spec/bench/queue/redis.ts')
  const runs = []
  for (let i = 0; i < SMOKE_RUNS; i++) {
    const local = await smoke()
    const redis = await startRedis()
    const queue = await smoke(redis)
    await redis.end()
    runs.push({ local, queue })
    console.error(JSON.stringify(runs.at(-1)))
  }
  return runs
}

function smokePart(runs) {
  const rows = runs.map(
    ({ local: a, queue: b }) =>
      `| ${a.wall.toFixed(0)} | ${b.wall.toFixed(0)} | ${(b.wall / a.wall).toFixed(2)} | ${a.cpu.toFixed(0)} | ${b.cpu.toFixed(0)} | ${(b.cpu / a.cpu).toFixed(2)} | ${a.load.toFixed(1)}, ${b.load.toFixed(1)} |`,
  )
  const ratio = (kind) => median(runs.map((run) => run.queue[kind] / run.local[kind])).toFixed(2)
  const cores = availableParallelism()
  return `${SMOKE}

The smoke scale from an empty store: on ${cores} threads of one process, and on a queue with ${WORKERS} workers of one thread that wait for it, one run after the other, on the same
${cores} cores. In the median, the queue takes ${ratio('wall')} times as long, and ${ratio('cpu')} times the CPU time. Other programs slow both down, and ${WORKERS} threads get more of a busy
machine than ${cores}: where the load is high, CPU time is the fairer measure.

| threads, s | queue, s | ratio | threads, CPU s | queue, CPU s | ratio | load before |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

const SMOKE = '## The smoke scale on a queue'
const file = new URL('../reports/scale.md', import.meta.url)
if (process.argv[2] === '--smoke') {
  const [others] = readFileSync(file, 'utf8').split(SMOKE)
  writeFileSync(file, `${others.trimEnd()}\n\n${smokePart(await smokes())}`)
} else if (process.argv[2]) console.log(JSON.stringify(await rates(process.argv[2])))
else {
  const load = loadavg()[0].toFixed(1)
  const million = (value) => (value / 1e6).toFixed(1)
  const rows = methods.map((id) => {
    const one = JSON.parse(execFileSync(process.execPath, [process.argv[1], id], { encoding: 'utf8' }))
    return `| \`${id}\` | ${million(one.one)} | ${one.ratio.toFixed(2)} | ${million(one.two)} | ${one.speedup.toFixed(2)} | ${one.start.toFixed(1)} |`
  })
  const { local, queue } = await overhead()
  const page = `# What scale costs

\`node scripts/scale.mjs\` writes this page. Measured on ${availableParallelism()} cores of a virtual machine; the load, other programs included, was ${load} when it began and
${loadavg()[0].toFixed(1)} when it ended.

## Scanning a corpus

${TEXTS} texts of ${TOKENS} tokens, a vocabulary of 50,257, one key. One core: tokens per second of CPU time of \`detectMany\`, and the time per text
against that of a softmax over the vocabulary. Two threads: tokens per second of wall-clock time of \`detectCorpus\`, which other programs slow
down; the speed-up over one core that two free cores would give, by the CPU time that all threads of the process spend; and the CPU seconds that starting
the threads takes once, which the other two columns leave out. (\`detectCorpus\` makes no scores per token, so the speed-up can be above 2.)

| method | one core, million tokens/s | text / softmax | two threads, million tokens/s | speed-up on two free cores | start, s |
|---|---|---|---|---|---|
${rows.join('\n')}

## The queue

Cells that compute nothing, two threads: ${local.toFixed(1)} ms per cell without a queue, ${queue.toFixed(1)} ms with one (submitter, Redis and worker on the same
machine). The queue costs ${(queue - local).toFixed(1)} ms per cell.

${smokePart(await smokes())}`
  writeFileSync(file, page)
  console.log(page)
}
