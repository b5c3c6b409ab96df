/**
 * The submitter's side of the queue: a pool whose cells are computed by workers on any machine.
 *
 * A cell is submitted when its dependencies are done. That needs no order in Redis, and a submitter that was killed loses nothing:
 * the next one finds what is in its store, and the jobs that were under way by their addresses. What it hears of events only makes it
 * look sooner: it looks at every open job again every few seconds, and submits those again that Redis has lost.
 */
import type { Queue, QueueEvents } from 'bullmq'
import { counted } from '../../report/sentence.ts'
import type { Cell, Json } from '../cell.ts'
import type { CellTask, Pool } from '../pool.ts'
import type { SharedCells } from '../shared-cells.ts'
import { packageVersion } from '../version.ts'
import { type CellJob, type CellResult, KEPT_SECONDS, keys, PREFIX, queueOf, sumOf, TRIES } from './job.ts'
import {
  connect,
  isConnectionError,
  isOutOfMemory,
  loadPackages,
  patientLike,
  persist,
  within,
} from './redis.ts'
import { type Crew, crewOf } from './workers.ts'

export interface SubmitOptions {
  readonly url: string
  /** What workers share: values travel through it instead of through Redis. */
  readonly shared?: SharedCells
  /** Cells that are in the store: their jobs, if a killed submitter left some, are removed. */
  readonly finished: readonly Cell[]
  readonly warn: (message: string) => void
  /** Milliseconds between two looks at all open jobs. */
  readonly every?: number
}

interface Ticket {
  readonly task: CellTask
  /** Whether this run knows it to be in the queue. */
  submitted: boolean
  /** Whether it is being looked at. */
  settling: boolean
  resolve(value: Json): void
  reject(error: Error): void
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
const PATIENCE = 10_000

const STALLED = /stalled more than/

/** Opens a pool whose cells are computed by the workers of a queue. */
export async function openQueuePool(options: SubmitOptions): Promise<Pool> {
  const { url, shared, warn, every = 2000 } = options
  const packages = await loadPackages()
  const store = await shared?.id()
  const redis = await connect(packages, url, warn, CONNECT_SECONDS)
  const version = packageVersion()
  const queues = new Map<string, { queue: Queue<CellJob, CellResult>; events: QueueEvents }>()
  const waiting: Ticket[] = []
  const open = new Map<string, Ticket>()
  const taken = new Set<string>()
  let crew: Crew = { workers: 0, threads: 0, refusals: [] }
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

  const drop = (digest: string): Ticket | undefined => {
    const ticket = open.get(digest)
    open.delete(digest)
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
    const { step, inputs, code, label, digest } = cell
    const queue = queueNamed(queueOf(cell))
    await redis.sadd(keys.queues, queue.name)
    const job: CellJob = {
      ...{ step, inputs, code, label, version, needs: cell.needs.map((need) => need.digest) },
      ...(store === undefined ? { values: needs() } : { store }),
    }
    await queue.add(label, job, {
      jobId: digest,
      priority: 1 + Math.round((LOWEST_PRIORITY - 1) * (1 - urgency)),
      attempts: TRIES,
      backoff: { type: 'exponential', delay: BACKOFF },
      removeOnComplete: { age: KEPT_SECONDS },
      removeOnFail: { age: 7 * KEPT_SECONDS },
    })
  }

  /** The value behind a result. */
  const resultOf = async (cell: Cell, { sum, value }: CellResult): Promise<Json> => {
    const began = performance.now()
    for (;;) {
      const found = value === undefined ? await shared?.read(cell) : value
      if (found !== undefined && sumOf(found) === sum) return found
      if (value !== undefined || performance.now() - began > PATIENCE)
        throw new Error(
          `expected the value with digest ${sum.slice(0, 8)}, got ${found === undefined ? 'none in the shared store' : 'another'}`,
        )
      await pause(100)
    }
  }

  /** Looks at an open job: takes its result, or submits it again where Redis has lost it. */
  const lookAt = async (ticket: Ticket): Promise<void> => {
    const { cell, begun } = ticket.task
    const { digest } = cell
    const queue = queueNamed(queueOf(cell))
    const state = await queue.getJobState(digest)
    const parked = state === 'failed' && !ticket.submitted // by an earlier run
    if (parked) await queue.remove(digest)
    if (parked || state === 'unknown') await submit(ticket)
    ticket.submitted = true
    if (parked || (state !== 'completed' && state !== 'failed')) return
    const job = await queue.getJob(digest)
    if (!job) return // removed in between: the next look submits it again
    if (state === 'failed') {
      const why = STALLED.test(job.failedReason) ? 'its worker ended while computing it' : job.failedReason
      drop(digest)?.reject(new Error(`${why} (tried ${TRIES} times)`))
    } else {
      const value = await resultOf(cell, job.returnvalue)
      if (crew.workers === 0) crew = await crewOf(redis) // somebody came since the last look
      begun?.(performance.now() - 1000 * job.returnvalue.seconds)
      taken.add(digest)
      drop(digest)?.resolve(value)
    }
    next()
  }
  /** The same, one look at a time; what goes wrong with Redis is left to the next look. */
  const settle = async (digest: string): Promise<void> => {
    const ticket = open.get(digest)
    if (!ticket || ticket.settling || closed) return
    ticket.settling = true
    try {
      await within(lookAt(ticket))
    } catch (error) {
      if (closed || isConnectionError(error)) return
      if (isOutOfMemory(error)) abandon(outOfMemory())
      else {
        drop(digest)?.reject(error as Error)
        next()
      }
    } finally {
      ticket.settling = false
    }
  }

  /** Submits the most urgent cells while there is room. */
  const next = (): void => {
    if (waiting.length > 0 && open.size < MAX_OPEN)
      waiting.sort((a, b) => (a.task.urgency ?? 0) - (b.task.urgency ?? 0))
    while (waiting.length > 0 && open.size < MAX_OPEN && !closed) {
      const ticket = waiting.pop()!
      open.set(ticket.task.cell.digest, ticket)
      void settle(ticket.task.cell.digest)
    }
  }

  const seen = new Set<string>()
  let lonely = 0
  const look = async (): Promise<void> => {
    crew = await crewOf(redis)
    for (const line of crew.refusals) if (!seen.has(line)) warn(line)
    for (const line of crew.refusals) seen.add(line)
    if (crew.workers === 0 && open.size > 0 && lonely++ === 1)
      warn(`queue: no worker yet; start some with: uwbench worker --queue URL`)
    await Promise.all([...open.keys()].map(settle))
  }
  /** Removes the results that a killed submitter had stored, but not removed. */
  const tidy = async (): Promise<void> => {
    const finished = new Set(options.finished.map(({ digest }) => digest))
    for (const name of finished.size > 0 ? await redis.smembers(keys.queues) : []) {
      const queue = queueNamed(name)
      const done = (await queue.getJobs(['completed', 'failed'])).filter((job) => finished.has(job.id!))
      await Promise.all(done.map((job) => queue.remove(job.id!)))
    }
  }

  const remove = async (cell: Cell): Promise<void> => {
    const queue = queueNamed(queueOf(cell))
    await persist(redis, () => queue.remove(cell.digest))
  }
  let removed: Promise<unknown> = Promise.resolve()

  crew = await persist(redis, () => crewOf(redis))
  await persist(redis, tidy)
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking
      .then(() => (closed ? undefined : within(look())))
      .catch((error) => {
        if (!isConnectionError(error)) warn(`queue: ${error.message}`)
      })
  }, every)

  return {
    get size() {
      return Math.max(1, crew.threads)
    },
    note: () => `, ${counted(crew.workers, 'worker')}`,
    run: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, submitted: false, settling: false, resolve, reject })
        queueMicrotask(next)
      }),
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

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const outOfMemory = (): Error =>
  new Error(
    'queue: Redis is out of memory; raise its maxmemory, or let values travel through a shared folder: --shared',
  )
