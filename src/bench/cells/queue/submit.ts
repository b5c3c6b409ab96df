/**
 * The submitter's side of the queue: a pool whose cells are computed by workers on any machine.
 *
 * A cell is submitted when its dependencies are done. That needs no order in Redis, and a submitter that was killed loses nothing:
 * the next one finds what is in its store, and the jobs that were under way by their addresses. What it hears of events only makes it
 * look sooner: it looks at every open job again every few seconds, and submits those again that Redis has lost.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queue, QueueEvents } from 'bullmq'
import { counted } from '../../report/sentence.ts'
import type { Cell, Json } from '../cell.ts'
import { packageVersion } from '../code.ts'
import type { CellTask, Pool } from '../pool.ts'
import type { SharedCells } from '../shared-cells.ts'
import {
  type CellJob,
  type CellResult,
  digestIn,
  idOf,
  KEPT_SECONDS,
  keys,
  PREFIX,
  queueOf,
  sumOf,
  TRIES,
} from './job.ts'
import {
  answered,
  connect,
  isConnectionError,
  isFull,
  isOutOfMemory,
  loadPackages,
  OUT_OF_MEMORY,
  patientLike,
  persist,
} from './redis.ts'
import { crewOf, NOBODY } from './workers.ts'

export interface SubmitOptions {
  readonly url: string
  /** Cells that workers share: values travel through them instead of through Redis. */
  readonly shared?: SharedCells
  /** Cells that are in the store: their jobs, if a killed submitter left some, are removed. */
  readonly finished: readonly Cell[]
  /** The share of cells that two workers compute, in random places; different values fail the cell. */
  readonly verifyShare?: number
  readonly warn: (message: string) => void
  /** Milliseconds between two looks at all open jobs. */
  readonly every?: number
}

interface Ticket {
  readonly task: CellTask
  /** The id of its job. */
  readonly id: string
  /** For a second computation: the worker of the first. */
  readonly not?: string
  /** True once this run has seen it in the queue. */
  submitted: boolean
  /** True while it is being looked at. */
  settling: boolean
  resolve(result: Computed): void
  reject(error: Error): void
}

interface Computed extends Pick<CellResult, 'sum' | 'by'> {
  readonly value: Json
}

/** The most cells that are in the queue at a time: it bounds the memory of Redis. */
const MAX_OPEN = 256

/** Seconds for which a server that is not there yet is waited for. */
const CONNECT_SECONDS = 5

/** Priorities of BullMQ: 1 is the highest. */
const LOWEST_PRIORITY = 1000

/** Milliseconds after which a cell that failed is tried again; twice as many each time. */
const BACKOFF = 1000

/** Milliseconds that a file of the shared store may take to appear: network file systems are not immediate. */
const APPEARS_MS = 10_000

const STALLED = /stalled more than/

/** Opens a pool whose cells are computed by the workers of a queue. */
export async function openQueuePool(options: SubmitOptions): Promise<Pool> {
  const { url, shared, warn, every = 2000, verifyShare = 0 } = options
  const packages = await loadPackages()
  const store = await shared?.id()
  const redis = await connect(packages, url, warn, CONNECT_SECONDS)
  const version = packageVersion()
  const queues = new Map<string, { queue: Queue<CellJob, CellResult>; events: QueueEvents }>()
  const waiting: Ticket[] = []
  const open = new Map<string, Ticket>()
  const taken = new Set<string>()
  let crew = NOBODY
  let closed = false

  const queueNamed = (name: string): Queue<CellJob, CellResult> => {
    const known = queues.get(name)
    if (known) return known.queue
    const queue = new packages.Queue<CellJob, CellResult>(name, { prefix: PREFIX, connection: redis })
    const events = new packages.QueueEvents(name, { prefix: PREFIX, connection: patientLike(redis) })
    queue.on('error', () => {}) // the connection says it
    events.on('error', () => {})
    events.on('completed', ({ jobId }) => void settle(jobId))
    events.on('failed', ({ jobId }) => void settle(jobId))
    queues.set(name, { queue, events })
    return queue
  }

  const drop = (id: string): Ticket | undefined => {
    const ticket = open.get(id)
    open.delete(id)
    return ticket
  }
  /** Nothing more can be submitted: every open cell fails with the same error. */
  const abandon = (error: Error): void => {
    closed = true
    for (const { reject } of [...open.values(), ...waiting.splice(0)]) reject(error)
    open.clear()
  }

  const submit = async (ticket: Ticket): Promise<void> => {
    const { cell, needs, urgency = 0 } = ticket.task
    const { step, inputs, code, label } = cell
    const queue = queueNamed(queueOf(cell))
    await redis.sadd(keys.queues, queue.name)
    const job: CellJob = {
      ...{ step, inputs, code, label, version, needs: cell.needs.map((need) => need.digest) },
      ...(store === undefined ? { values: needs() } : { store }),
      ...(ticket.not === undefined ? {} : { not: ticket.not }),
    }
    await queue.add(label, job, {
      jobId: ticket.id,
      priority: 1 + Math.round((LOWEST_PRIORITY - 1) * (1 - urgency)),
      attempts: TRIES,
      backoff: { type: 'exponential', delay: BACKOFF },
      removeOnComplete: { age: KEPT_SECONDS },
      removeOnFail: { age: 7 * KEPT_SECONDS },
    })
  }

  const resultOf = async (cell: Cell, { sum, value }: CellResult): Promise<Json> => {
    const began = performance.now()
    for (;;) {
      const found = value === undefined ? await shared?.read(cell) : value
      if (found !== undefined && sumOf(found) === sum) return found
      if (value !== undefined || performance.now() - began > APPEARS_MS)
        throw new Error(
          `expected the value with digest ${sum.slice(0, 8)}, got ${found === undefined ? 'none in the shared store' : 'another'}`,
        )
      await pause(100)
    }
  }

  /** Looks at an open job: takes its result, or submits it again where Redis has lost it. */
  const lookAt = async (ticket: Ticket): Promise<void> => {
    const { id } = ticket
    const { cell, begun } = ticket.task
    const queue = queueNamed(queueOf(cell))
    const state = await queue.getJobState(id)
    const parked = state === 'failed' && !ticket.submitted // by an earlier run
    if (parked) await queue.remove(id)
    if (parked || state === 'unknown') await submit(ticket)
    ticket.submitted = true
    if (parked || (state !== 'completed' && state !== 'failed')) return
    const job = await queue.getJob(id)
    if (!job) return // removed in between: the next look submits it again
    if (state === 'failed') {
      const why = STALLED.test(job.failedReason) ? 'its worker ended while computing it' : job.failedReason
      drop(id)?.reject(new Error(`${why} (tried ${TRIES} times)`))
    } else {
      const value = await resultOf(cell, job.returnvalue)
      if (crew.workers === 0) crew = await crewOf(redis) // somebody came since the last look
      begun?.(performance.now() - 1000 * job.returnvalue.seconds)
      taken.add(cell.digest)
      drop(id)?.resolve({ value, sum: job.returnvalue.sum, by: job.returnvalue.by ?? 'unknown' })
    }
    next()
  }
  /** Looks at an open job, once at a time; errors of Redis are left to the next look. */
  const settle = async (id: string): Promise<void> => {
    const ticket = open.get(id)
    if (!ticket || ticket.settling || closed) return
    ticket.settling = true
    try {
      await answered(lookAt(ticket))
    } catch (error) {
      if (closed || isConnectionError(error)) return
      if (isOutOfMemory(error)) abandon(new Error(OUT_OF_MEMORY))
      else {
        drop(id)?.reject(error as Error)
        next()
      }
    } finally {
      ticket.settling = false
    }
  }

  const entered = (task: CellTask, not?: string): Promise<Computed> =>
    new Promise((resolve, reject) => {
      const id = idOf(task.cell.digest, not)
      waiting.push({
        task,
        id,
        ...(not === undefined ? {} : { not }),
        submitted: false,
        settling: false,
        resolve,
        reject,
      })
      queueMicrotask(next)
    })

  /** Submits the most urgent cells while there is room. */
  const next = (): void => {
    if (waiting.length > 0 && open.size < MAX_OPEN)
      waiting.sort((a, b) => (a.task.urgency ?? 0) - (b.task.urgency ?? 0))
    while (waiting.length > 0 && open.size < MAX_OPEN && !closed) {
      const ticket = waiting.pop()!
      open.set(ticket.id, ticket)
      void settle(ticket.id)
    }
  }

  const seen = new Set<string>()
  let lonely = 0
  const look = async (): Promise<void> => {
    crew = await crewOf(redis)
    const { refusals, versions } = crew
    const others = `queue: its workers have uwbench ${versions.join(', ')}, this submitter has ${version}; workers compute cells of their own version`
    const isOther = versions.length > 0 && !versions.includes(version)
    for (const line of [
      ...refusals,
      ...(isOther ? [others] : []),
      ...(crew.workers === 1 && [...open.values()].some(({ not }) => not !== undefined)
        ? [
            'queue: --verify-share needs two workers, and there is one; start another: uwbench worker --queue URL',
          ]
        : []),
      ...((await isFull(redis)) ? [OUT_OF_MEMORY] : []),
    ]) {
      if (!seen.has(line)) warn(line)
      seen.add(line)
    }
    if (crew.workers === 0 && open.size > 0 && lonely++ === 1)
      warn(`queue: no worker yet; start some with: uwbench worker --queue URL`)
    await Promise.all([...open.keys()].map(settle))
  }
  /** Removes the results that a killed submitter had stored, but not removed. */
  const tidy = async (): Promise<void> => {
    const finished = new Set(options.finished.map(({ digest }) => digest))
    for (const name of finished.size > 0 ? await redis.smembers(keys.queues) : []) {
      const queue = queueNamed(name)
      const done = (await queue.getJobs(['completed', 'failed'])).filter((job) =>
        finished.has(digestIn(job.id!)),
      )
      await Promise.all(done.map((job) => queue.remove(job.id!)))
    }
  }

  const remove = async (cell: Cell): Promise<void> => {
    const queue = queueNamed(queueOf(cell))
    await persist(redis, () => queue.remove(cell.digest))
    if (verifyShare > 0) await persist(redis, () => queue.remove(idOf(cell.digest, 'any')))
  }
  let removed: Promise<unknown> = Promise.resolve()

  crew = await persist(redis, () => crewOf(redis))
  await persist(redis, tidy)
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking
      .then(() => (closed ? undefined : answered(look())))
      .catch((error) => {
        if (!isConnectionError(error)) warn(`queue: ${error.message}`)
      })
  }, every)

  return {
    get size() {
      return Math.max(1, crew.threads)
    },
    note: () => `, ${counted(crew.workers, 'worker')}`,
    async run(task) {
      const { value, sum, by } = await entered(task)
      // drawn afterwards: nobody knows in advance which cells are computed twice
      if (Math.random() >= verifyShare) return value
      const second = await entered(task, by)
      if (second.sum === sum && second.by !== by) return value
      throw new Error(
        `${by} and ${second.by} computed different values (digests ${sum.slice(0, 8)} and ${second.sum.slice(0, 8)})`,
      )
    },
    stored(cell) {
      removed = Promise.all([removed, remove(cell).catch(() => {})]) // what is left expires
    },
    async finish() {
      await removed
      const digests = [...taken]
      if (digests.length === 0) return
      const conflicts = (await persist(redis, () => redis.mget(digests.map(keys.conflict)))).filter(
        (one) => one !== null,
      )
      if (conflicts.length > 0) throw new Error(conflicts[0]!)
    },
    async close() {
      closed = true
      clearInterval(timer)
      abandon(new Error('the queue was closed'))
      await Promise.all([...queues.values()].flatMap(({ queue, events }) => [queue.close(), events.close()]))
      redis.disconnect()
    },
  }
}
