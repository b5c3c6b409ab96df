/** One inference worker: imports the steps once, then computes the cells it is sent, one at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Json } from './cell.ts'
import { type Steps, stepOf } from './step.ts'

export interface Task {
  readonly step: string
  readonly inputs: { readonly [key: string]: Json }
  readonly needs: readonly Json[]
}
/** The first answer to a task is that it has begun, the second is its result. */
export type Answer =
  | { readonly begun: true }
  | { readonly value: Json }
  | { readonly error: string; readonly name: string; readonly stack: string }
export interface WorkerOptions {
  /** URL of a module that exports {@link Steps}. */
  readonly steps: string
  readonly resources: Json
  /** The device of this worker, such as `cuda:1`; without it, cells for the processor. */
  readonly device?: string
}

const { steps: url, resources: options, device } = workerData as WorkerOptions
const ready = import(/* @vite-ignore */ url).then((module: Steps) => ({
  module,
  resources: module.open?.(device === undefined ? options : { ...(options as object), device }),
}))

parentPort?.on('message', async (task: Task) => {
  let answer: Answer
  parentPort?.postMessage({ begun: true } satisfies Answer)
  try {
    const { module, resources } = await ready
    await module.moveOn?.(resources, task.inputs)
    answer = { value: await stepOf(module, task.step, url).run(task.inputs, task.needs, resources) }
  } catch (error) {
    const { message, name, stack = message } = error instanceof Error ? error : new Error(String(error))
    answer = { error: message, name, stack }
  }
  parentPort?.postMessage(answer)
})
