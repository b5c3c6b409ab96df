/**
 * A worker of the queue. Cells are computed in threads, so that this one renews their locks meanwhile; a worker that is killed loses
 * its locks, and others take its cells over. Each thread prefers cells of the model that it has loaded.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'bullmq'
import type { Json } from '../cell.ts'
import { openPool } from '../pool.ts'
import { sharedCells } from '../shared-cells.ts'
import type { Steps } from '../step.ts'
import type { Store } from '../store.ts'
import { type CellJobs, cellHandler } from './handle.ts'
import { ANY, type CellJob, type CellResult, deviceOf, keys, PREFIX, TRIES } from './job.ts'
import { connect, isConnectionError, loadPackages, persist, within } from './redis.ts'
import type { Refusal, Verified } from './refusal.ts'
import { bePresent } from './workers.ts'

export interface WorkOptions {
  readonly url: string
  /** URL of the module whose `steps` compute the cells. */
  readonly steps: string
  /** Passed to the module's `open` in every thread. */
  readonly resources?: Json
  /** The store that is shared with the submitter: a folder, or a bucket. */
  readonly store?: Store
  /** Cells that are computed at a time. */
  readonly threads: number
  /** Cells for this device, besides those for the CPU. */
  readonly device?: string
  /** Seconds that a cell may take. */
  readonly cellSeconds?: number
  /** Seconds after the last sign of life at which a cell is taken over. */
  readonly lockSeconds?: number
  /** How often a cell may take its worker down. */
  readonly tries?: number
  /** Ends the worker once its current cells are done. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

interface Taken {
  readonly job: CellJobs
  readonly worker: Worker<CellJob, CellResult>
  /** Of its queue. */
  readonly name: string
}

/** Seconds for which a server that is not there yet is waited for. */
const CONNECT_SECONDS = 60
/** Milliseconds that a worker takes at most to say that it ends: Redis may be away, and finds out by itself. */
const GOODBYE = 3000
/** Milliseconds between two looks at empty queues: the first and the longest. */
const IDLE = [20, 250] as const
/** Milliseconds between two looks for new queues. */
const QUEUES_EVERY = 1000
/** Milliseconds for which a thread takes no cell after it refused one: the first, doubled each time, and the longest. */
const REFUSED = [500, 30_000] as const

/** Computes cells of a queue until `signal`; returns how many. */
export async function work(options: WorkOptions): Promise<number> {
  const { url, threads, device, signal, log, lockSeconds = 30, tries = TRIES } = options
  const packages = await loadPackages()
  const cells = options.store && sharedCells(options.store)
  const shared = cells && { ...cells, name: await cells.id() }
  const redis = await connect(packages, url, log, CONNECT_SECONDS)
  const id = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  const module = (await import(/* @vite-ignore */ options.steps)) as Steps & Verified
  // not AbortSignal.any: in Node 20 it may be collected as garbage, and then never aborts
  const stop = new AbortController()
  const ends = stop.signal
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  if (signal.aborted) stop.abort()
  let fatal: Error | undefined
  const workers = new Map<string, Worker<CellJob, CellResult>>()
  const held = new Map<CellJobs, { worker: Worker; token: string }>()
  const said = new Set<string>()
  let refuses: string | undefined
  let done = 0
  const presence = bePresent(redis, id, () => ({ threads, ...(refuses === undefined ? {} : { refuses }) }))

  const workerOf = async (name: string): Promise<Worker<CellJob, CellResult>> => {
    const known = workers.get(name)
    if (known) return known
    const worker = new packages.Worker<CellJob, CellResult>(name, null, {
      connection: redis,
      prefix: PREFIX,
      autorun: false,
      lockDuration: 1000 * lockSeconds,
      stalledInterval: 1000 * lockSeconds,
      maxStalledCount: tries - 1,
    })
    worker.on('error', () => {}) // the connection says it
    workers.set(name, worker)
    await worker.startStalledCheckTimer()
    return worker
  }

  let names: string[] = []
  const findQueues = async (): Promise<void> => {
    const mine = new Set(['cpu', device?.split(':')[0] ?? 'cpu'])
    names = (await redis.smembers(keys.queues)).filter((name) => mine.has(deviceOf(name)))
  }
  /** The next cell, if possible of the model that is loaded. Cells without a model go before, unless they would keep a device waiting. */
  const take = async (token: string, last: string | undefined): Promise<Taken | undefined> => {
    const wish = (name: string): number => (name === ANY && device === undefined ? 2 : name === last ? 1 : 0)
    const others = names.toSorted(() => Math.random() - 0.5)
    for (const name of others.toSorted((a, b) => wish(b) - wish(a))) {
      const worker = await workerOf(name)
      const job = await worker.getNextJob(token, { block: false })
      if (job) return { job, worker, name }
    }
    return undefined
  }

  /** Says why a cell was refused, once. */
  const refused = ({ reason, always }: Refusal, label: string): void => {
    const line = `worker ${hostname()}:${process.pid} refuses '${label}': ${reason}`
    if (!said.has(reason)) {
      said.add(reason)
      refuses = line
      log(line)
      void presence.beat()
    }
    if (!always) return
    fatal = new Error(line)
    stop.abort()
  }
  const handle = cellHandler({
    ...{ packages, redis, module, refused, log, resources: options.resources ?? null },
    ...(shared === undefined ? {} : { shared }),
  })

  const unheard = (error: Error): void => {
    if (!isConnectionError(error)) log(`queue: ${error.message.split('\n')[0]}`)
  }
  /** One thread's life: takes a cell, computes it, takes the next. */
  const seat = async (token: string): Promise<void> => {
    const pool = openPool(
      1,
      { steps: options.steps, resources: options.resources ?? null },
      options.cellSeconds,
    )
    pool.start?.()
    let last: string | undefined
    let idle: number = IDLE[0]
    let rest = 0
    try {
      while (!ends.aborted) {
        const found = await within(take(token, last)).catch(unheard)
        if (!found) {
          await pause(idle, undefined, { signal: ends }).catch(() => {})
          await within(findQueues()).catch(unheard)
          idle = Math.min(IDLE[1], 1.5 * idle)
          continue
        }
        const { job, worker, name } = found
        held.set(job, { worker, token })
        const outcome = await handle(pool, job, token, () => held.delete(job))
        held.delete(job)
        if (outcome === 'done') done++
        if (name !== ANY) last = name
        idle = IDLE[0]
        rest = outcome === 'refused' ? Math.min(REFUSED[1], 2 * rest || REFUSED[0]) : 0
        if (rest > 0) await pause(rest, undefined, { signal: ends }).catch(() => {})
      }
    } finally {
      await pool.close()
    }
  }

  /** Says that the cells at hand are still being computed. */
  const renew = async (): Promise<void> => {
    for (const [job, { worker, token }] of held)
      await worker.extendJobLocks([job.id!], [token], 1000 * lockSeconds).catch(() => {})
  }
  /** Looks for cells of killed workers afresh, should the look before have been lost with its connection. */
  const watchStalled = (): void => {
    for (const worker of workers.values()) void worker.startStalledCheckTimer().catch(() => {})
  }
  await persist(redis, findQueues)
  const timers = [
    setInterval(() => void findQueues().catch(() => {}), QUEUES_EVERY),
    setInterval(() => void renew(), (1000 * lockSeconds) / 3),
    setInterval(watchStalled, 5000 * lockSeconds),
  ]
  try {
    await Promise.all(Array.from({ length: threads }, (_, i) => seat(`${id}:${i}`)))
  } finally {
    for (const timer of timers) clearInterval(timer)
    const goodbye = [presence.end(), ...[...workers.values()].map((worker) => worker.close(true))]
    await Promise.race([Promise.allSettled(goodbye), pause(GOODBYE, undefined, { ref: false })])
    redis.disconnect()
  }
  if (fatal) throw fatal
  return done
}
