// What scanning and queueing cost on this machine: node scripts/scale.mjs writes reports/scale.md. Needs `npm run build` and redis-server.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

register(new URL('./typescript-hook.mjs', import.meta.url))

const methods = ['kgw(delta=2)', 'dipmark(alpha=0.4)', 'mcmark(channels=20)', 'synthid', 'gumbel']
const [TEXTS, TOKENS, ROUNDS, REPEATS] = [1000, 500, 3, 10]

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

function* repeated(corpus) {
  for (let i = 0; i < REPEATS; i++) yield* corpus
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
  const seconds = { softmax: [], one: [], two: [], twoCpu: [] }
  const timed = (run) => {
    const began = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1e6
  }
  for (let i = 0; i <= ROUNDS; i++) {
    const s = timed(() => {
      for (let j = 0; j < 1000; j++) softmax()
    })
    const one = timed(() => detectMany(watermark, corpus, options))
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    // a corpus of many times that size, as corpora are: the start of the threads counts less
    for await (const _ of detectCorpus(watermark, repeated(corpus), {
      ...options,
      threads: 2,
    }));
    const spent = process.cpuUsage(cpu)
    if (i === 0) continue // warm-up
    seconds.softmax.push(s)
    seconds.one.push(one)
    seconds.two.push((performance.now() - wall) / 1000 / REPEATS)
    seconds.twoCpu.push((spent.user + spent.system) / 1e6 / REPEATS)
  }
  const [softmaxes, one, two, twoCpu] = Object.values(seconds).map(median)
  return {
    one: (TEXTS * TOKENS) / one,
    ratio: one / softmaxes,
    two: (TEXTS * TOKENS) / two,
    cpu: twoCpu / one,
  }
}

/** Milliseconds per cell that a queue adds to threads of one process, on cells that compute nothing. */
async function overhead() {
  const { startRedis } = await import('../spec/bench/queue/redis.ts')
  const { cell, openStore, runCells } = await import('../dist/bench/index.js')
  const { work } = await import('../dist/bench/queue/work.js')
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

if (process.argv[2]) console.log(JSON.stringify(await rates(process.argv[2])))
else {
  const million = (value) => (value / 1e6).toFixed(1)
  const rows = methods.map((id) => {
    const one = JSON.parse(execFileSync(process.execPath, [process.argv[1], id], { encoding: 'utf8' }))
    return `| \`${id}\` | ${million(one.one)} | ${one.ratio.toFixed(2)} | ${million(one.two)} | ${(2 / one.cpu).toFixed(2)} |`
  })
  const { local, queue } = await overhead()
  const page = `# What scale costs

\`node scripts/scale.mjs\` writes this page. Measured on ${availableParallelism()} cores of a virtual machine with a load of ${loadavg()[0].toFixed(1)} from other programs.

## Scanning a corpus

${TEXTS} texts of ${TOKENS} tokens, a vocabulary of 50,257, one key. One core: tokens per second of CPU time of \`detectMany\`, and the time per text
against that of a softmax over the vocabulary. Two threads: tokens per second of wall-clock time of \`detectCorpus\`, which other programs slow
down, and the speed-up that two free cores would give by the CPU time spent.

| method | one core, million tokens/s | text / softmax | two threads, million tokens/s | speed-up on two free cores |
|---|---|---|---|---|
${rows.join('\n')}

## The queue

Cells that compute nothing, two threads: ${local.toFixed(1)} ms per cell without a queue, ${queue.toFixed(1)} ms with one (submitter, Redis and worker on the same
machine). The queue costs ${(queue - local).toFixed(1)} ms per cell.
`
  writeFileSync(new URL('../reports/scale.md', import.meta.url), page)
  console.log(page)
}
