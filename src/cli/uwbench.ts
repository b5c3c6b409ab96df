#!/usr/bin/env node
/**
 * The program `uwbench`. The command runs in a thread while this one waits for signals: a detection may compute for minutes without
 * yielding to the event loop.
 */
import { fstatSync, writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Message, ThreadOptions } from './commands/command-thread.ts'
import { safeLine } from './commands/output.ts'

const { stdout, stderr } = process
const isTerminal = stdout.isTTY === true
/** Colours on a terminal or with FORCE_COLOR, never with NO_COLOR. */
const colours = !process.env.NO_COLOR && (isTerminal || Boolean(process.env.FORCE_COLOR))

const file = import.meta.url.endsWith('.ts') ? './commands/command-thread.ts' : './commands/command-thread.js'
/** Number of messages not written yet. The thread waits when it is large, so a slow reader does not fill the memory. */
const waiting = new Int32Array(new SharedArrayBuffer(4))
const workerData: ThreadOptions = { args: process.argv.slice(2), isTerminal, colours, waiting }
const thread = new Worker(new URL(file, import.meta.url), { workerData })
/** Commands that run until they are told to end, and what they do at the first signal. */
const draining: Readonly<Record<string, string>> = {
  worker: 'finishing the current cells',
  serve: 'finishing the texts that are being written',
}
const drain = Object.hasOwn(draining, process.argv[2] ?? '') ? draining[process.argv[2]!] : undefined
let ended = false
const end = (code: number): void => {
  ended = true
  process.exitCode = code
}

/** Milliseconds that the thread has to end. */
const GRACE_MS = 400
/**
 * Asks the thread to end between two steps. Terminating it while a model computes would abort the process: onnxruntime throws a C++
 * exception when it cannot call back. The benchmark has such threads of its own, so it is not asked.
 */
const stop = (): void => {
  if (process.argv[2] !== 'bench') thread.postMessage('stop')
}

let failed = false
/**
 * Reports output that cannot be written, such as a full disk, and exits with code 3. A reader may close the pipe early (`uwbench list |
 * head`): that is no error and does not change the exit code.
 */
function onOutputError(name: string, error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || failed) return
  failed = true
  end(3)
  try {
    writeSync(2, `uwbench: ${name}: cannot write (${error.message.split(',')[0]})\n`)
  } catch {
    // standard error is what cannot be written
  }
  stop()
}

type Stream = NodeJS.WriteStream & { readonly fd: number }

/** Returns a function that writes all of a text. The streams of Node drop the rest of a text for which a disk has only some room. */
function writerOf(name: string, stream: Stream): (text: string, done?: () => void) => void {
  stream.on('error', (error) => onOutputError(name, error))
  const stat = fstatSync(stream.fd)
  const isFile = stat.isFile() || (stat.isCharacterDevice() && !stream.isTTY)
  return (text, done) => {
    if (!isFile) {
      stream.write(text, done)
      return
    }
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length && !failed; ) at += writeSync(stream.fd, bytes, at)
    } catch (error) {
      onOutputError(name, error as NodeJS.ErrnoException)
    }
    done?.()
  }
}
const write = { out: writerOf('standard output', stdout), error: writerOf('standard error', stderr) }

thread.on('message', (message: Message) => {
  if ('out' in message)
    write.out(message.out, () => {
      Atomics.sub(waiting, 0, 1)
      Atomics.notify(waiting, 0)
    })
  else if ('error' in message) write.error(`${message.error}\n`)
  else {
    if (!failed) end(message.code)
    if (drain !== undefined) void thread.terminate() // exits without waiting for connections that fail to close
  }
})
thread.on('error', (error) => {
  if (!ended) write.error(`uwbench: ${safeLine(String(error?.message ?? error))}\n`)
  end(3)
})
thread.on('exit', () => {
  if (ended) return
  write.error('uwbench: the command ended without a result\n')
  end(3)
})

/** Stops the thread and exits. A thread that waits for input or computes without a pause does not hear: the signal ends the program. */
function interrupt(signal: 'SIGINT' | 'SIGTERM', code: number): void {
  end(code)
  try {
    writeSync(2, 'interrupted; rerun to resume\n')
  } catch {
    // standard error is closed
  }
  setTimeout(() => {
    process.kill(process.pid, signal) // this listener is removed: the system ends the process
    process.exit(code) // in a container, process 1 gets no signals that it does not handle
  }, GRACE_MS)
  thread.once('exit', () => process.exit(code))
  stop()
}

/** Such a command finishes what it does at the first signal; at the second it ends like other commands. */
let drains = drain !== undefined
function onSignal(signal: 'SIGINT' | 'SIGTERM', code: number): void {
  const listen = (): void => {
    if (drains) {
      drains = false
      process.once(signal, listen)
      write.error(`${drain}; interrupt again to stop immediately\n`)
      thread.postMessage('drain')
    } else interrupt(signal, code)
  }
  process.once(signal, listen)
}
onSignal('SIGINT', 130)
onSignal('SIGTERM', 143)
