/** Runs a command in a thread of its own, so that the program hears signals while it computes; see cli.ts. */
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
parentPort!.once('message', () => drain.abort()) // the only message: see cli.ts
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
