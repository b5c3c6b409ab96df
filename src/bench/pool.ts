/**
 * The inference workers of a run: threads, each with its own single-threaded model session. For small models, two such sessions
 * are faster than one session with two threads. Workers start with the first task and end with `close`.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Json } from './cell.ts'
import type { Answer, Task, WorkerOptions } from './worker.ts'

export interface Pool {
  readonly size: number
  /** `needs` is called when a worker is free, so that queued tasks hold no values. */
  run(task: Waiting): Promise<Json>
  close(): Promise<void>
}

/** Number of workers: `UWBENCH_WORKERS`, or one per core. */
export const workerCount = (env: NodeJS.ProcessEnv = process.env): number =>
  env.UWBENCH_WORKERS ? Math.max(0, Math.trunc(Number(env.UWBENCH_WORKERS)) || 0) : availableParallelism()

const source = import.meta.url.endsWith('.ts')

function start(options: WorkerOptions): Worker {
  const url = new URL(source ? './worker.ts' : './worker.js', import.meta.url)
  const hook = new URL('../../scripts/typescript-hook.mjs', import.meta.url)
  const plain = !source || Boolean((process.features as { typescript?: unknown }).typescript)
  return new Worker(url, { workerData: options, execArgv: plain ? [] : ['--import', hook.href] })
}

interface Waiting extends Omit<Task, 'needs'> {
  needs(): readonly Json[]
}

interface Seat {
  readonly worker: Worker
  settle?: { resolve(value: Json): void; reject(error: Error): void }
}

/** Opens a pool that runs `size` tasks at a time, in order. */
export function openPool(size: number, options: WorkerOptions): Pool {
  let closed = false
  const idle: Seat[] = []
  const seats: Seat[] = []
  const waiting: { task: Waiting; settle: NonNullable<Seat['settle']> }[] = []

  const finish = (seat: Seat, answer: Answer): void => {
    const { settle } = seat
    seat.settle = undefined
    idle.push(seat)
    if ('value' in answer) settle?.resolve(answer.value)
    else settle?.reject(Object.assign(new Error(answer.error), { stack: answer.stack }))
    next()
  }
  const lose = (seat: Seat, error: Error): void => {
    seats.splice(seats.indexOf(seat), 1)
    if (idle.includes(seat)) idle.splice(idle.indexOf(seat), 1)
    seat.settle?.reject(error)
    seat.settle = undefined
    next()
  }
  const seatNow = (): Seat | undefined => {
    const free = idle.pop()
    if (free || seats.length >= size) return free
    const seat: Seat = { worker: start(options) }
    seats.push(seat)
    seat.worker.on('message', (answer: Answer) => finish(seat, answer))
    seat.worker.on('error', (error) => lose(seat, error))
    seat.worker.on('exit', (code) => {
      if (seat.settle) lose(seat, new Error(`a worker exited with code ${code}`))
    })
    return seat
  }
  const next = (): void => {
    while (waiting.length > 0 && !closed) {
      const seat = seatNow()
      if (!seat) return
      const { task, settle } = waiting.shift()!
      try {
        seat.worker.postMessage({ step: task.step, inputs: task.inputs, needs: task.needs() } satisfies Task)
        seat.settle = settle
      } catch (error) {
        idle.push(seat)
        settle.reject(error as Error)
      }
    }
  }
  return {
    size,
    run: (task) =>
      new Promise((resolve, reject) => {
        waiting.push({ task, settle: { resolve, reject } })
        next()
      }),
    close: async () => {
      closed = true
      for (const { settle } of waiting.splice(0)) settle.reject(new Error('the worker pool was closed'))
      await Promise.all(seats.splice(0).map((seat) => seat.worker.terminate()))
    },
  }
}
