/** One inference worker: imports the steps once, then computes the cells it is sent, one at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Json } from './cell.ts'
import type { Steps } from './step.ts'

export interface Task {
  readonly step: string
  readonly inputs: { readonly [key: string]: Json }
  readonly needs: readonly Json[]
}
export type Answer = { readonly value: Json } | { readonly error: string; readonly stack: string }
export interface WorkerOptions {
  /** URL of a module that exports {@link Steps}. */
  readonly steps: string
  readonly resources: Json
}

const { steps: url, resources: options } = workerData as WorkerOptions
const ready = import(/* @vite-ignore */ url).then((module: Steps) => ({
  steps: module.steps,
  resources: module.open?.(options),
}))

parentPort?.on('message', async (task: Task) => {
  let answer: Answer
  try {
    const { steps, resources } = await ready
    const step = steps[task.step]
    if (!step) throw new Error(`no step '${task.step}' in ${url}; there are ${Object.keys(steps).join(', ')}`)
    answer = { value: await step.run(task.inputs, task.needs, resources) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    answer = { error: message, stack: stack ?? message }
  }
  parentPort?.postMessage(answer)
})
