/** Starts a worker thread of this package, from its sources or as it is published. */
import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from './worker.ts'

const source = import.meta.url.endsWith('.ts')

export function startWorker(workerData: WorkerOptions): Worker {
  const url = new URL(`./worker${source ? '.ts' : '.js'}`, import.meta.url)
  const hook = new URL('../../../scripts/typescript-hook.mjs', import.meta.url)
  const plain = !source || Boolean((process.features as { typescript?: unknown }).typescript)
  return new Worker(url, { workerData, execArgv: plain ? [] : ['--import', hook.href] })
}
