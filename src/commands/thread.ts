/** Runs a command in a thread of its own, so that the program hears signals while it computes; see cli.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { main } from './main.ts'

export interface ThreadOptions {
  readonly args: readonly string[]
  readonly isTerminal: boolean
  readonly colours: boolean
}

export type Message = { readonly out: string } | { readonly error: string } | { readonly code: number }

const { args, isTerminal, colours } = workerData as ThreadOptions
const post = (message: Message): void => parentPort!.postMessage(message)
const code = await main(args, {
  raw: (out) => post({ out }),
  error: (error) => post({ error }),
  isTerminal,
  colours,
})
post({ code })
