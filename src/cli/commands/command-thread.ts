/** Runs a command in a thread of its own, so that the program hears signals while it computes; see uwbench.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { main } from './main.ts'

export interface ThreadOptions {
  readonly args: readonly string[]
  readonly isTerminal: boolean
  readonly colours: boolean
  /** Shared: how many messages are not yet written. */
  readonly waiting: Int32Array
}

export type Message = { readonly out: string } | { readonly error: string } | { readonly code: number }

/** The most messages that may wait to be written. */
const MAX_WAITING = 64

const { args, isTerminal, colours, waiting } = workerData as ThreadOptions
const drain = new AbortController()
// between two steps of a command, when no native code runs: see uwbench.ts
parentPort!.on('message', (message: 'drain' | 'stop') =>
  message === 'drain' ? drain.abort() : process.exit(),
)
parentPort!.unref()
const post = (message: Message): void => parentPort!.postMessage(message)
const code = await main(args, {
  raw: (out) => {
    let count = Atomics.add(waiting, 0, 1) + 1
    post({ out })
    for (; count > MAX_WAITING; count = Atomics.load(waiting, 0)) Atomics.wait(waiting, 0, count)
  },
  error: (error) => post({ error }),
  isTerminal,
  colours,
  drain: drain.signal,
})
post({ code })
