#!/usr/bin/env node
/**
 * The program `uwbench`. The command runs in a thread, while this one waits for signals: a detection may compute for minutes without
 * ever yielding to the event loop.
 */
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { safeLine } from './commands/output.ts'
import type { Message, ThreadOptions } from './commands/thread.ts'

const { stdout, stderr } = process
const isTerminal = stdout.isTTY === true
/** Colours on a terminal or with FORCE_COLOR, never with NO_COLOR. */
const colours = !process.env.NO_COLOR && (isTerminal || Boolean(process.env.FORCE_COLOR))

// a reader that closes the pipe (`uwbench list | head`) is no error, and the exit code stays what it would have been
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const file = import.meta.url.endsWith('.ts') ? './commands/thread.ts' : './commands/thread.js'
/** Messages that are not yet written: the thread waits when there are many, so that a slow reader does not fill the memory. */
const waiting = new Int32Array(new SharedArrayBuffer(4))
const workerData: ThreadOptions = { args: process.argv.slice(2), isTerminal, colours, waiting }
const thread = new Worker(new URL(file, import.meta.url), { workerData })
/** A worker of a queue runs until it is asked to end. */
const isWorker = process.argv[2] === 'worker'
let ended = false
const end = (code: number): void => {
  ended = true
  process.exitCode = code
}
thread.on('message', (message: Message) => {
  if ('out' in message)
    stdout.write(message.out, () => {
      Atomics.sub(waiting, 0, 1)
      Atomics.notify(waiting, 0)
    })
  else if ('error' in message) stderr.write(`${message.error}\n`)
  else {
    end(message.code)
    if (isWorker) void thread.terminate() // connections that cannot be closed properly keep nobody waiting
  }
})
thread.on('error', (error) => {
  if (!ended) stderr.write(`uwbench: ${safeLine(String(error?.message ?? error))}\n`)
  end(3)
})
thread.on('exit', () => {
  if (!ended) stderr.write('uwbench: the command ended without a result\n')
  if (!ended) end(3)
})

/** Milliseconds that the thread has to end. */
const GRACE = 400

/**
 * Stops the thread and exits. A thread that waits for input or computes natively cannot be stopped: then the program ends by the
 * signal itself, which waits for nothing.
 */
function interrupt(signal: 'SIGINT' | 'SIGTERM', code: number): void {
  end(code)
  try {
    writeSync(2, 'interrupted; rerun to resume\n')
  } catch {
    // nobody reads it
  }
  setTimeout(() => {
    process.kill(process.pid, signal) // this listener is gone: the system ends the process
    process.exit(code) // unless it is the first of a container, which gets no signals that it does not handle
  }, GRACE)
  void thread.terminate().then(() => process.exit(code))
}

/** A worker finishes its cells at the first signal; at the second it ends like other commands. */
let drains = isWorker
function hear(signal: 'SIGINT' | 'SIGTERM', code: number): void {
  const listen = (): void => {
    if (drains) {
      drains = false
      process.once(signal, listen)
      stderr.write('finishing the current cells; interrupt again to stop at once\n')
      thread.postMessage('drain')
    } else interrupt(signal, code)
  }
  process.once(signal, listen)
}
hear('SIGINT', 130)
hear('SIGTERM', 143)
