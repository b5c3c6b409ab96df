/** Starts a thread of this package, from its sources or as it is published. */
import { Worker } from 'node:worker_threads'

const source = import.meta.url.endsWith('.ts')

/** @param name of the module in this folder, without its ending */
export function startThread(name: string, workerData: unknown): Worker {
  const url = new URL(`./${name}${source ? '.ts' : '.js'}`, import.meta.url)
  const hook = new URL('../../scripts/typescript-hook.mjs', import.meta.url)
  const plain = !source || Boolean((process.features as { typescript?: unknown }).typescript)
  return new Worker(url, { workerData, execArgv: plain ? [] : ['--import', hook.href] })
}
