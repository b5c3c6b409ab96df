/**
 * A worker of the queue. Cells are computed in threads, so that this one renews their locks meanwhile; a worker that is killed loses
 * its locks, and others take its cells over. Each thread prefers cells of the model that it has loaded.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'bullmq'
import { printable } from '../../../input.ts'
import { packageVersion } from '../code.ts'
import { openPool } from '../pool.ts'
import type { RunOptions } from '../runner.ts'
import { sharedCells } from '../shared-cells.ts'
import type { Steps } from '../step.ts'
import type { Store } from '../store.ts'
import { type CellJobs, cellHandler } from './handle.ts'
import { ANY, type CellJob, type CellResult, deviceOf, isQueue, keys, PREFIX, TRIES } from './job.ts'
import {
  answered,
  connect,
  isConnectionError,
  isOutOfMemory,
  loadPackages,
  OUT_OF_MEMORY,
  persist,
} from './redis.ts'
import type { Verified } from './refusal.ts'
import { bePresent } from './workers.ts'

export interface WorkOptions extends Pick<RunOptions, 'steps' | 'resources' | 'cellSeconds'> {
  readonly url: string
  /** The store that is shared with the submitter: a folder, or a bucket. */
  readonly store?: Store
  /** Cells that are computed at a time. */
  readonly threads: number
  /** Cells for this device, besides those for the CPU. */
  readonly device?: string
  /** Seconds after the last sign of life at which a cell is taken over. */
  readonly lockSeconds?: number
  /** The number of times that a cell may take its worker down. */
  readonly tries?: number
  /** Ends the worker once its current cells are done. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

interface Taken {
  readonly job: CellJobs
  readonly worker: Worker<CellJob, CellResult>
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
/** Milliseconds after which a thread looks again if it refused all that it found: workers that compute these cells look sooner. */
const REFUSED = 1000

/** Computes cells of a queue until `signal`; returns how many. */
export async function work(options: WorkOptions): Promise<number> {
  const { url, threads, device, signal, log, lockSeconds = 30, tries = TRIES } = options
  const packages = await loadPackages()
  const cells = options.store && sharedCells(options.store)
  const shared = cells && { ...cells, name: await cells.id() }
  const redis = await connect(packages, url, log, CONNECT_SECONDS)
  const id = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  const module = (await import(/* @vite-ignore */ options.steps)) as Steps & Verified
  const workers = new Map<string, Worker<CellJob, CellResult>>()
  const held = new Map<CellJobs, { worker: Worker; token: string }>()
  const said = new Set<string>()
  let refuses: string | undefined
  let done = 0
  const presence = bePresent(redis, id, () => ({
    threads,
    version: packageVersion(),
    ...(refuses === undefined ? {} : { refuses }),
  }))

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
    names = (await redis.smembers(keys.queues)).filter((name) => isQueue(name) && mine.has(deviceOf(name)))
  }
  /** Ends the delays of cells that others refused: this worker may be the one that they wait for. */
  const promote = async (): Promise<void> => {
    for (const name of names) {
      const queue = new packages.Queue(name, { prefix: PREFIX, connection: redis })
      queue.on('error', () => {})
      await queue.promoteJobs()
    }
  }
  /** Takes the next cell, if possible of the model that is loaded. Cells without a model go before, unless they would keep a device waiting. */
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
  const refused = (reason: string, label: string): void => {
    if (said.has(reason)) return
    said.add(reason)
    refuses = printable(`worker ${hostname()}:${process.pid} refuses '${label}': ${reason}`)
    log(refuses)
    void presence.beat()
  }
  const handle = cellHandler({
    ...{ packages, redis, id, module, refused, log, resources: options.resources ?? null },
    ...(shared === undefined ? {} : { shared }),
  })

  let full = false
  const unheard = (error: Error): void => {
    if (isOutOfMemory(error)) {
      if (!full) log(OUT_OF_MEMORY)
      full = true
    } else if (!isConnectionError(error)) log(`queue: ${error.message.split('\n')[0]}`)
  }
  /** Takes cells and computes them in one thread, until the worker ends. */
  const runThread = async (token: string): Promise<void> => {
    const pool = openPool(
      1,
      { steps: options.steps, resources: options.resources ?? null },
      options.cellSeconds,
    )
    pool.start()
    let last: string | undefined
    let idle: number = IDLE[0]
    let refusing = false
    try {
      while (!signal.aborted) {
        const found = await answered(take(token, last)).catch(unheard)
        if (!found) {
          await pause(refusing ? REFUSED : idle, undefined, { signal }).catch(() => {})
          await answered(findQueues()).catch(unheard)
          idle = Math.min(IDLE[1], 1.5 * idle)
          refusing = false
          continue
        }
        full = false
        const { job, worker, name } = found
        held.set(job, { worker, token })
        const outcome = await handle(pool, job, token, () => held.delete(job)).catch(unheard)
        held.delete(job)
        if (outcome === 'done') done++
        if (name !== ANY) last = name
        idle = IDLE[0]
        refusing = outcome === 'refused'
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
  await persist(redis, promote).catch(unheard)
  const timers = [
    setInterval(() => void findQueues().catch(() => {}), QUEUES_EVERY),
    setInterval(() => void renew(), (1000 * lockSeconds) / 3),
    setInterval(watchStalled, 5000 * lockSeconds),
  ]
  try {
    await Promise.all(Array.from({ length: threads }, (_, i) => runThread(`${id}:${i}`)))
  } finally {
    for (const timer of timers) clearInterval(timer)
    const goodbye = [presence.end(), ...[...workers.values()].map((worker) => worker.close(true))]
    await Promise.race([Promise.allSettled(goodbye), pause(GOODBYE, undefined, { ref: false })])
    redis.disconnect()
  }
  return done
}
