/**
 * A worker of the queue. Cells are computed in threads, so that this one renews their locks meanwhile; a worker that is killed loses
 * its locks, and others take its cells over. Each thread prefers cells of the model that it has loaded.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Job, Worker } from 'bullmq'
import type { Cell, Json } from '../cell.ts'
import { openPool, type Pool } from '../pool.ts'
import type { Steps } from '../step.ts'
import type { Store } from '../store.ts'
import { packageVersion } from '../version.ts'
import { type CellJob, type CellResult, deviceOf, KEPT_SECONDS, keys, PREFIX, sumOf, TRIES } from './job.ts'
import { connect, isConnectionError, loadPackages, persist } from './redis.ts'
import { type Refusal, refusalOf, type Verified } from './refusal.ts'
import { knownStoreId } from './store-id.ts'
import { bePresent } from './workers.ts'

export interface WorkOptions {
  readonly url: string
  /** URL of the module whose `steps` compute the cells. */
  readonly steps: string
  /** Passed to the module's `open` in every thread. */
  readonly resources?: Json
  /** The folder that is shared with the submitter. */
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

type CellJobs = Job<CellJob, CellResult>

interface Taken {
  readonly job: CellJobs
  readonly worker: Worker<CellJob, CellResult>
  /** Of its queue. */
  readonly name: string
}

/** Seconds for which a server that is not there yet is waited for. */
const CONNECT_SECONDS = 60
/** Milliseconds between two looks at empty queues: the first and the longest. */
const IDLE = [20, 250] as const
/** Milliseconds between two looks for new queues. */
const QUEUES_EVERY = 1000
/** Milliseconds for which a thread takes no cell after it refused one: the first, doubled each time, and the longest. */
const REFUSED = [500, 30_000] as const
/** What BullMQ says when a job is not, or no longer, this worker's: gone, unlocked, not active, locked by another. */
const LOST: ReadonlySet<unknown> = new Set([-1, -2, -3, -6])

/** Computes cells of a queue until `signal`; returns how many. */
export async function work(options: WorkOptions): Promise<number> {
  const { url, store, threads, device, signal, log, lockSeconds = 30, tries = TRIES } = options
  const packages = await loadPackages()
  const redis = await connect(packages, url, log, CONNECT_SECONDS)
  const id = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  const module = (await import(/* @vite-ignore */ options.steps)) as Steps & Verified
  const here = module.here?.(options.resources ?? null)
  const version = packageVersion()
  const ownStore = store && knownStoreId(store.path)
  const stop = new AbortController()
  const ends = AbortSignal.any([signal, stop.signal])
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
  /** The next cell, of the same queue if possible. */
  const take = async (token: string, last: string | undefined): Promise<Taken | undefined> => {
    const others = names.filter((name) => name !== last).sort(() => Math.random() - 0.5)
    for (const name of last === undefined ? others : [last, ...others]) {
      const worker = await workerOf(name)
      const job = await worker.getNextJob(token, { block: false })
      if (job) return { job, worker, name }
    }
    return undefined
  }

  const refusal = async ({ data, id: digest }: CellJobs): Promise<Refusal | undefined> => {
    if (data.store !== undefined && data.store !== ownStore)
      return { reason: 'its store is not the one given by --store; give the shared folder', always: false }
    try {
      const own = here ? await here(data.step, data.inputs) : { code: '', inputs: data.inputs }
      return refusalOf(data, digest!, own, version)
    } catch (error) {
      if (data.version !== version) return refusalOf(data, '', { code: '', inputs: {} }, version)
      return { reason: (error as Error).message.split('\n')[0]!, always: false }
    }
  }
  /** Gives a cell back, and says why, once. */
  const refuse = async (job: CellJobs, token: string, { reason, always }: Refusal): Promise<void> => {
    await persist(redis, () => job.moveToWait(token))
    const line = `worker ${hostname()}:${process.pid} refuses '${job.data.label}': ${reason}`
    if (!said.has(reason)) {
      said.add(reason)
      refuses = line
      log(line)
      await presence.beat()
    }
    if (always) stop.abort(new Error(line))
  }

  /** Compares a value with the first one that was computed of its cell. */
  const compare = async (digest: string, label: string, sum: string): Promise<void> => {
    await redis.set(keys.sum(digest), sum, 'EX', KEPT_SECONDS, 'NX')
    const first = (await redis.get(keys.sum(digest))) ?? sum
    if (first === sum) return
    const message = `${label}: two workers computed different values (digests ${first.slice(0, 8)} and ${sum.slice(0, 8)}); expected the same bytes on every machine`
    await redis.set(keys.conflict(digest), message, 'EX', KEPT_SECONDS)
    log(message)
    throw new packages.UnrecoverableError(message)
  }

  /** The value of a cell, computed or found in the shared store. */
  const compute = async (pool: Pool, data: CellJob, cell: Cell): Promise<Json> => {
    const known = data.store === undefined ? undefined : store!.read(cell)
    const needs = () => data.values ?? cell.needs.map((need) => valueIn(store!, need, data.label))
    return known ?? pool.run({ cell, needs })
  }
  /** Delivers a value: the first one of a cell, or one that is equal to it. */
  const deliver = async (job: CellJobs, token: string, cell: Cell, value: Json, seconds: number) => {
    const sum = sumOf(value)
    await persist(redis, () => compare(cell.digest, cell.label, sum))
    const isShared = job.data.store !== undefined
    if (isShared && !store!.has(cell)) store!.write(cell, value)
    const result = { sum, seconds, ...(isShared ? {} : { value }) }
    await persist(redis, () => job.moveToCompleted(result, token, false))
    done++
  }

  /** Computes a cell; returns whether it was refused. */
  const handle = async (pool: Pool, job: CellJobs, token: string): Promise<boolean> => {
    try {
      if (job.deferredFailure) throw new packages.UnrecoverableError(job.deferredFailure)
      const refused = await refusal(job)
      if (refused) {
        await refuse(job, token, refused)
        return true
      }
      const began = performance.now()
      const cell = cellOf(job.data, job.id!)
      const value = await compute(pool, job.data, cell)
      await deliver(job, token, cell, value, (performance.now() - began) / 1000)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      if (isLost(error)) log(`${job.data.label}: taken over by another worker; this result is not used`)
      else
        await persist(redis, () => job.moveToFailed(failure, token, false)).catch((second) => {
          log(`${job.data.label}: ${second.message.split('\n')[0]}`) // its lock expires, and others take it over
        })
    }
    return false
  }

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
    let last: string | undefined
    let idle: number = IDLE[0]
    let rest = 0
    try {
      while (!ends.aborted) {
        const found = await take(token, last).catch(unheard)
        if (!found) {
          await pause(idle, undefined, { signal: ends }).catch(() => {})
          idle = Math.min(IDLE[1], 1.5 * idle)
          continue
        }
        const { job, worker, name } = found
        held.set(job, { worker, token })
        const refused = await handle(pool, job, token)
        held.delete(job)
        last = name
        idle = IDLE[0]
        rest = refused ? Math.min(REFUSED[1], 2 * rest || REFUSED[0]) : 0
        if (refused) await pause(rest, undefined, { signal: ends }).catch(() => {})
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
  await persist(redis, findQueues)
  const timers = [
    setInterval(() => void findQueues().catch(() => {}), QUEUES_EVERY),
    setInterval(() => void renew(), (1000 * lockSeconds) / 3),
  ]
  try {
    await Promise.all(Array.from({ length: threads }, (_, i) => seat(`${id}:${i}`)))
  } finally {
    for (const timer of timers) clearInterval(timer)
    await presence.end().catch(() => {})
    await Promise.all([...workers.values()].map((worker) => worker.close()))
    redis.disconnect()
  }
  if (stop.signal.aborted) throw stop.signal.reason
  return done
}

/** A cell as the store and the pool see it; its address was checked before. */
function cellOf({ step, inputs, code, label, needs }: CellJob, digest: string): Cell {
  const need = (one: string): Cell => ({
    step: '',
    inputs: {},
    code: '',
    needs: [],
    label: `what ${label} needs`,
    digest: one,
  })
  return { step, inputs, code, label, digest, needs: needs.map(need) }
}

function valueIn(store: Store, need: Cell, label: string): Json {
  const value = store.read(need)
  if (value === undefined)
    throw new Error(`${label}: expected ${need.digest.slice(0, 8)} in the shared store, got none`)
  return value
}

const isLost = (error: unknown): boolean => LOST.has((error as { code?: unknown } | null)?.code)
