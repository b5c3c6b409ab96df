/**
 * The inference workers of a run: threads, each with its own single-threaded model session. For small models, two such sessions
 * are faster than one session with two threads. A device has one worker, whatever the number of cores. Workers start with the first
 * task, or with `start`, and end with `close`. A worker that exits or exceeds the time limit of a task is replaced.
 */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { Cell, Json } from './cell.ts'
import { deviceFor, groupOf, kindOfDevice } from './cell-models.ts'
import { startWorker } from './start-worker.ts'
import { TimeLimit } from './time-limit.ts'
import type { Answer, Task, WorkerOptions } from './worker.ts'

/** Computes cells: threads of this process, or workers behind a queue. */
export interface Pool {
  /** The number of cells that are computed at a time. */
  readonly size: number
  run(task: CellTask): Promise<Json>
  /** The value of a cell is in the store: it is needed nowhere else. */
  stored?(cell: Cell): void
  /** For progress lines: by how many workers cells are computed. */
  note?(): string
  /** All cells are done: throws where some of their values are in doubt. */
  finish?(): Promise<void>
  close(): Promise<void>
}

export interface CellTask {
  readonly cell: Cell
  /** Called when a worker is free, so that queued tasks hold no values. */
  needs(): readonly Json[]
  /** From 0 to 1: the longest chain of cells that begins with this one, as a share of the longest of all. */
  readonly urgency?: number
  /** Called when a worker begins with it, or later with the time when it did. */
  begun?(at?: number): void
}

/** A task for a thread, which needs no address. */
interface ThreadTask extends Omit<CellTask, 'cell'> {
  readonly cell: Pick<Cell, 'step' | 'inputs'>
}

/** Threads of this process. */
export interface ThreadPool extends Pool {
  run(task: ThreadTask): Promise<Json>
  /** Starts a worker before there is a task for it: the first task need not wait for its modules. */
  start(): void
  /** Ends all threads at once; tasks that are not done, and later ones, fail with `error`. */
  close(error?: Error): Promise<void>
}

/** Number of workers: `UWBENCH_WORKERS`, or one per core. */
export const workerCount = (env: NodeJS.ProcessEnv = process.env): number =>
  env.UWBENCH_WORKERS ? Math.max(0, Math.trunc(Number(env.UWBENCH_WORKERS)) || 0) : availableParallelism()

/** A task under way or in the queue. */
interface Job {
  readonly task: ThreadTask
  resolve(value: Json): void
  reject(error: Error): void
  /** True once a worker has begun with it. */
  begun: boolean
  /** The number of workers that exited before they began with it. */
  lost: number
  /** The kind of device that it is for, and the models that it needs. */
  readonly kind: string
  readonly group: string
}

interface Thread {
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

/** Options that the workers of a pool share, and the devices they run on besides the processor. */
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
): ThreadPool {
  let closed: Error | undefined
  const idle: Thread[] = []
  const threads = new Set<Thread>()
  const waiting: Job[] = []

  const release = (thread: Thread): Job | undefined => {
    const { job } = thread
    thread.limit?.clear()
    thread.job = undefined
    return job
  }
  const finish = (thread: Thread, answer: Answer): void => {
    if ('begun' in answer) {
      if (thread.job) {
        thread.job.begun = true
        thread.job.task.begun?.()
      }
      return
    }
    const job = release(thread)
    if (!threads.has(thread)) return
    idle.push(thread)
    if ('value' in answer) job?.resolve(answer.value)
    else {
      const { error, name, stack } = answer
      job?.reject(Object.assign(new Error(error), { name, stack }))
    }
    next()
  }
  /** Gives a thread up; another replaces it when there is work for it. */
  const lose = (thread: Thread, error: Error): void => {
    if (!threads.delete(thread)) return
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    const job = release(thread)
    if (job && !job.begun && job.lost++ < MAX_LOST && !closed) waiting.unshift(job)
    else job?.reject(error)
    next()
  }
  const expire = (thread: Thread, error: Error): void => {
    if (thread.job) thread.job.begun = true // a second worker would take as long
    lose(thread, error)
    void thread.worker.terminate()
  }
  /** Places where cells of a kind may run, each with how many at a time. */
  const placesFor = (kind: string): [place: string, most: number][] => {
    if (kind === 'cpu') return [['cpu', size]]
    const own = devices.filter((device) => kindOfDevice(device) === kind)
    return (own.length > 0 ? own : [kind]).map((place) => [place, 1])
  }
  const openThread = (kind: string): Thread | undefined => {
    const busy = (place: string) => [...threads].filter((thread) => thread.place === place).length
    const [place] = placesFor(kind).find(([one, most]) => busy(one) < most) ?? []
    if (place === undefined) return undefined
    const own = place === 'cpu' ? options : { ...options, device: place }
    const thread: Thread = { worker: startWorker(own), place, group: '' }
    threads.add(thread)
    thread.worker.on('message', (answer: Answer) => finish(thread, answer))
    thread.worker.on('error', (error) => {
      if (thread.job) thread.job.begun = true // it said what is wrong: do not try again
      lose(thread, error)
    })
    thread.worker.on('exit', (code) => lose(thread, new Error(`the worker exited with code ${code}`)))
    return thread
  }
  const freeThread = (kind: string): Thread | undefined => {
    const at = idle.findLastIndex(({ place }) => kindOfDevice(place) === kind)
    return at < 0 ? openThread(kind) : idle.splice(at, 1)[0]
  }
  /** Finds the next task that a thread is free for: the first of its kind, or the first of the models that the thread has loaded. */
  const match = (): { job: Job; thread: Thread } | undefined => {
    const tried = new Set<string>()
    for (const first of waiting) {
      const { kind } = first
      if (tried.has(kind)) continue
      tried.add(kind)
      const thread = freeThread(kind)
      if (!thread) continue
      const same = (job: Job) => job.kind === kind && job.group === thread.group
      const job = (thread.group === '' ? undefined : waiting.find(same)) ?? first
      waiting.splice(waiting.indexOf(job), 1)
      return { job, thread }
    }
    return undefined
  }
  const next = (): void => {
    while (waiting.length > 0 && !closed) {
      const found = match()
      if (!found) return
      const { job, thread } = found
      const { cell, needs } = job.task
      thread.group = job.group
      try {
        const { step, inputs } = cell
        thread.worker.postMessage({ step, inputs, needs: needs() } satisfies Task)
        thread.job = job
        thread.limit = new TimeLimit(seconds, (error) => expire(thread, error))
      } catch (error) {
        idle.push(thread)
        job.reject(error as Error)
      }
    }
  }
  return {
    size,
    start() {
      const thread = openThread('cpu')
      if (thread) idle.push(thread)
    },
    run: (task) =>
      new Promise((resolve, reject) => {
        const [kind, group] = [deviceFor(task.cell), groupOf(task.cell)]
        waiting.push({ task, resolve, reject, begun: false, lost: 0, kind, group })
        if (closed) reject(closed)
        else next()
      }),
    close: async (error = new Error('the worker pool was closed')) => {
      closed ??= error
      for (const job of waiting.splice(0)) job.reject(error)
      const open = [...threads]
      for (const thread of open) lose(thread, error)
      await Promise.all(open.map((thread) => thread.worker.terminate()))
    },
  }
}
