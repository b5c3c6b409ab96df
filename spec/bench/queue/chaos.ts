/**
 * Chaos: a study on workers that are killed at random (kill -9) and replaced, on a Redis that loses its power twice, with a submitter that
 * is killed and started again. The report must be, byte for byte, that of an undisturbed local run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { startRedis } from './redis.ts'

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A process of this test, with what it printed. */
interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output(): string
}

function start(script: string, args: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [file(script), ...args], { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data
    })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, output: () => output }
}

/** The files of a folder with their contents. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

/** What is computed: a table of the toy model in seconds, or all of `uwbench bench --scale smoke`. */
export type Scale = 'toy' | 'smoke'

/** Computes the reports of a scale into a folder, behind a queue or here. */
function submit(scale: Scale, folder: string, queue?: string): Program {
  const [store, reports] = [join(folder, 'store'), join(folder, 'reports')]
  if (scale === 'toy') return start('./run-submitter.mjs', [store, reports, ...(queue ? [queue] : [])])
  const where = queue ? ['--queue', queue] : []
  return start('../../../dist/cli/uwbench.js', [
    'bench',
    '--scale',
    scale,
    '--store',
    store,
    '--out',
    reports,
    ...where,
  ])
}

/** The files in the store of a folder. */
function stored(folder: string): string[] {
  const cells = join(folder, 'store', 'cells')
  const files = existsSync(cells) ? readdirSync(cells, { recursive: true }).map(String) : []
  return files.filter((name) => name.includes('/'))
}

/** The reports of an undisturbed run without a queue. */
export async function undisturbed(
  folder: string,
  scale: Scale = 'toy',
): Promise<{ report: Record<string, string>; cells: number }> {
  const run = submit(scale, folder)
  if ((await run.ended) !== 0) throw new Error(run.output())
  return { report: contents(join(folder, 'reports')), cells: stored(folder).length }
}

export interface ChaosOptions {
  readonly folder: string
  readonly scale?: Scale
  /** Milliseconds between two events, at most. */
  readonly gap?: number
  readonly workers: number
  /** Workers that are killed and replaced. */
  readonly kills: number
  /** Milliseconds that a cell takes at least. */
  readonly pause: number
  readonly random: () => number
}

/** What happened in a round. */
export interface Round {
  readonly report: Record<string, string>
  readonly kills: number
  /** Of Redis and of the submitter. */
  readonly restarts: number
  /** Computations that were begun. */
  readonly begun: number
  readonly seconds: number
  /** Jobs that were left in Redis. */
  readonly orphans: readonly string[]
  /** Drafts that were left in the store. */
  readonly drafts: readonly string[]
  /** Exit codes of the workers that were asked to end. */
  readonly drained: readonly (number | null)[]
}

/** Seconds after which a cell is taken over. */
const LOCK = 1

/** Seconds that a round may take on a busy machine; it takes ten on a quiet one. */
const MAX_SECONDS = 180

/** Keys that may remain: what BullMQ knows of an empty queue, our list of queues, and what expires. */
const REMAINS = /^uwbench:queues$|:(meta|id|events|marker|stalled-check)$|^uwbench:(sum|worker)/

/** One round of chaos. */
export async function chaos({
  folder,
  scale = 'toy',
  gap = 600,
  workers: count,
  kills,
  pause: rest,
  random,
}: ChaosOptions): Promise<Round> {
  const began = performance.now()
  // what Redis acknowledges is on its disk: only then does a power cut lose nothing
  const redis = await startRedis(['--appendfsync', 'always'])
  const trace = join(folder, 'trace')
  writeFileSync(trace, '')
  const env = { TRACE: trace, PAUSE: `${rest}` }
  const hire = (): Program => start('./run-worker.mjs', [redis.url, `${LOCK}`], env)
  const submitter = (): Program => submit(scale, folder, redis.url)
  const workers = Array.from({ length: count }, hire)
  let current = submitter()
  let [killed, restarts, finished] = [0, 0, false]
  const all = [...workers, current]

  const killWorker = async (): Promise<void> => {
    const victim = Math.floor(random() * count)
    workers[victim]!.child.kill('SIGKILL')
    workers[victim] = hire()
    all.push(workers[victim])
    killed++
  }
  const cutPower = async (): Promise<void> => {
    await redis.stop()
    await pause(600 * random())
    await redis.start()
    restarts++
  }
  const killSubmitter = async (): Promise<void> => {
    if (current.child.exitCode !== null) return
    current.child.kill('SIGKILL')
    await current.ended
    current = submitter()
    all.push(current)
    restarts++
  }
  const events = [...Array.from({ length: kills }, () => killWorker), cutPower, cutPower, killSubmitter]
  events.sort(() => random() - 0.5)
  try {
    // until the first cells are under way
    while (readFileSync(trace, 'utf8') === '' && current.child.exitCode === null) await pause(20)
    for (const event of events) {
      await pause(gap * random())
      if (finished) break
      await event()
    }
    const code = await Promise.race([
      current.ended,
      pause(MAX_SECONDS * 1000, 'no end' as const, { ref: false }),
    ])
    finished = true
    if (code !== 0)
      throw new Error(
        `the submitter: ${code}\n${current.output()}\n${workers.map((one) => one.output()).join('\n')}`,
      )
    for (const { child } of workers) child.kill('SIGTERM')
    const drained = await Promise.all(workers.map(({ ended }) => ended))
    const client = new Redis(redis.url)
    const orphans = (await client.keys('*')).filter((key) => !REMAINS.test(key))
    client.disconnect()
    return {
      report: contents(join(folder, 'reports')),
      kills: killed,
      restarts,
      begun: readFileSync(trace, 'utf8').split('\n').length - 1,
      seconds: (performance.now() - began) / 1000,
      orphans,
      drafts: stored(folder).filter((name) => !/^..\/[0-9a-f]{64}$/.test(name)),
      drained,
    }
  } finally {
    for (const { child } of all) child.kill('SIGKILL')
    await redis.end()
  }
}
