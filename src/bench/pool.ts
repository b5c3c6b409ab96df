/**
 * The inference workers of a run: threads, each with its own single-threaded model session. For small models, two such sessions
 * are faster than one session with two threads. A device has one worker, whatever the number of cores. Workers start with the first
 * task, or with `start`, and end with `close`. A worker that exits or exceeds the time limit of a task is replaced.
 */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Cell, Json } from './cell.ts'
import { deviceFor, groupOf, kindOfDevice } from './cell-models.ts'
import { startThread } from './start-thread.ts'
import { TimeLimit } from './time-limit.ts'
import type { Answer, Task, WorkerOptions } from './worker.ts'

/** Where cells are computed: threads of this process, or workers behind a queue. */
export interface Pool {
  /** How many cells are computed at a time. */
  readonly size: number
  run(task: CellTask): Promise<Json>
  /** Starts a worker before there is a task for it: the first task need not wait for its modules. */
  start?(): void
  /** The value of a cell is in the store: it is needed nowhere else. */
  stored?(cell: Cell): void
  /** For progress lines: who computes. */
  note?(): string
  /** All cells are done: throws where some of their values are in doubt. */
  finish?(): Promise<void>
  close(): Promise<void>
}

/** A cell to compute. */
export interface CellTask {
  readonly cell: Cell
  /** Called when a worker is free, so that queued tasks hold no values. */
  needs(): readonly Json[]
  /** From 0 to 1: the longest chain of cells that begins with this one, as a share of the longest of all. */
  readonly urgency?: number
  /** Called when a worker begins with it, or later with the time when it did. */
  begun?(at?: number): void
}

/** Number of workers: `UWBENCH_WORKERS`, or one per core. */
export const workerCount = (env: NodeJS.ProcessEnv = process.env): number =>
  env.UWBENCH_WORKERS ? Math.max(0, Math.trunc(Number(env.UWBENCH_WORKERS)) || 0) : availableParallelism()

/** A task under way or in the queue. */
interface Job {
  readonly task: CellTask
  resolve(value: Json): void
  reject(error: Error): void
  /** Whether a worker has begun with it. */
  begun: boolean
  /** How often a worker exited before it began. */
  lost: number
  /** The kind of device that it is for, and the models that it needs. */
  readonly kind: string
  readonly group: string
}

interface Seat {
  readonly worker: Worker
  /** `cpu`, or a device such as `cuda:1`. */
  readonly place: string
  /** The models of its last cell. */
  group: string
  job?: Job
  limit?: TimeLimit
}

/** A worker may exit between two tasks, unseen: a task that it had not begun goes to another worker, this often. */
const MAX_LOST = 2

/** What the workers of a pool have in common, and the devices they run on besides the processor. */
export interface PoolOptions extends WorkerOptions {
  /** One worker each: `cuda:0`, `cuda:1`. A kind of device that is not listed has one. */
  readonly devices?: readonly string[]
}

/**
 * Opens a pool that runs `size` tasks on the processor at a time, and one on each device, in order. A worker that has loaded large
 * models takes cells of the same models first.
 * @param seconds the time limit of a task
 */
export function openPool(
  size: number,
  { devices = [], ...options }: PoolOptions,
  seconds = Number.POSITIVE_INFINITY,
): Pool {
  let closed = false
  const idle: Seat[] = []
  const seats = new Set<Seat>()
  const waiting: Job[] = []

  /** Takes the seat's task away from it. */
  const release = (seat: Seat): Job | undefined => {
    const { job } = seat
    seat.limit?.clear()
    seat.job = undefined
    return job
  }
  const finish = (seat: Seat, answer: Answer): void => {
    if ('begun' in answer) {
      if (seat.job) {
        seat.job.begun = true
        seat.job.task.begun?.()
      }
      return
    }
    const job = release(seat)
    if (!seats.has(seat)) return
    idle.push(seat)
    if ('value' in answer) job?.resolve(answer.value)
    else job?.reject(Object.assign(new Error(answer.error), { stack: answer.stack }))
    next()
  }
  /** Gives a seat up; a new worker takes its place when there is work for it. */
  const lose = (seat: Seat, error: Error): void => {
    if (!seats.delete(seat)) return
    if (idle.includes(seat)) idle.splice(idle.indexOf(seat), 1)
    const job = release(seat)
    if (job && !job.begun && job.lost++ < MAX_LOST && !closed) waiting.unshift(job)
    else job?.reject(error)
    next()
  }
  const expire = (seat: Seat, error: Error): void => {
    if (seat.job) seat.job.begun = true // a second worker would take as long
    lose(seat, error)
    void seat.worker.terminate()
  }
  /** Places where cells of a kind may run, each with how many at a time. */
  const placesFor = (kind: string): [place: string, most: number][] => {
    if (kind === 'cpu') return [['cpu', size]]
    const own = devices.filter((device) => kindOfDevice(device) === kind)
    return (own.length > 0 ? own : [kind]).map((place) => [place, 1])
  }
  const openSeat = (kind: string): Seat | undefined => {
    const busy = (place: string) => [...seats].filter((seat) => seat.place === place).length
    const [place] = placesFor(kind).find(([one, most]) => busy(one) < most) ?? []
    if (place === undefined) return undefined
    const own = place === 'cpu' ? options : { ...options, device: place }
    const seat: Seat = { worker: startThread('worker', own), place, group: '' }
    seats.add(seat)
    seat.worker.on('message', (answer: Answer) => finish(seat, answer))
    seat.worker.on('error', (error) => {
      if (seat.job) seat.job.begun = true // it said what is wrong: do not try again
      lose(seat, error)
    })
    seat.worker.on('exit', (code) => lose(seat, new Error(`the worker exited with code ${code}`)))
    return seat
  }
  /** A free seat for cells of a kind. */
  const seatNow = (kind: string): Seat | undefined => {
    const at = idle.findLastIndex(({ place }) => kindOfDevice(place) === kind)
    return at < 0 ? openSeat(kind) : idle.splice(at, 1)[0]
  }
  /** The next task that has a seat: the first of its kind, or the first of the models that the seat has loaded. */
  const match = (): { job: Job; seat: Seat } | undefined => {
    const tried = new Set<string>()
    for (const first of waiting) {
      const { kind } = first
      if (tried.has(kind)) continue
      tried.add(kind)
      const seat = seatNow(kind)
      if (!seat) continue
      const same = (job: Job) => job.kind === kind && job.group === seat.group
      const job = (seat.group === '' ? undefined : waiting.find(same)) ?? first
      waiting.splice(waiting.indexOf(job), 1)
      return { job, seat }
    }
    return undefined
  }
  const next = (): void => {
    while (waiting.length > 0 && !closed) {
      const found = match()
      if (!found) return
      const { job, seat } = found
      const { cell, needs } = job.task
      seat.group = job.group
      try {
        const { step, inputs } = cell
        seat.worker.postMessage({ step, inputs, needs: needs() } satisfies Task)
        seat.job = job
        seat.limit = new TimeLimit(seconds, (error) => expire(seat, error))
      } catch (error) {
        idle.push(seat)
        job.reject(error as Error)
      }
    }
  }
  return {
    size,
    start() {
      const seat = openSeat('cpu')
      if (seat) idle.push(seat)
    },
    run: (task) =>
      new Promise((resolve, reject) => {
        const [kind, group] = [deviceFor(task.cell), groupOf(task.cell)]
        waiting.push({ task, resolve, reject, begun: false, lost: 0, kind, group })
        next()
      }),
    close: async () => {
      closed = true
      const error = new Error('the worker pool was closed')
      for (const job of waiting.splice(0)) job.reject(error)
      const open = [...seats]
      for (const seat of open) lose(seat, error)
      await Promise.all(open.map((seat) => seat.worker.terminate()))
    },
  }
}
