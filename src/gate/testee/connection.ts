/**
 * A testee as the laws see it: a request returns its answer, at once or after the time limit. Laws are synchronous, as watermarks in
 * this process are, so a thread talks to the testee and this one sleeps meanwhile.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { integer, printable, requireOptions, wrongType } from '../../input.ts'
import { type TesteeCommand, TesteeFailure, type TimedCommand } from './process.ts'
import { PROTOCOL, ProtocolError, readInfo, type TesteeInfo } from './protocol.ts'
import type { Call, Reply, ThreadData } from './thread.ts'

/** Milliseconds that one answer may take, and the first one at the least. */
const TIMEOUT = 60_000
const START_TIMEOUT = 120_000
/** The longest that timers can wait. */
const MAX_TIMEOUT = 2 ** 31 - 1
/** Milliseconds beyond the time limit of a request after which the thread itself is taken to be gone. */
const GRACE = 10_000

/** The testee declined a request and said why. */
class TesteeSkipped extends Error {
  override readonly name = 'TesteeSkipped'
}

const source = import.meta.url.endsWith('.ts')

function startThread(data: ThreadData): Worker {
  const url = new URL(source ? './thread.ts' : './thread.js', import.meta.url)
  const hook = new URL('../../../scripts/typescript-hook.mjs', import.meta.url)
  const plain = !source || Boolean((process.features as { typescript?: unknown }).typescript)
  const execArgv = plain ? [] : ['--import', hook.href]
  return new Worker(url, { workerData: data, transferList: [data.port], execArgv })
}

/**
 * Sleeps until the count is not `before`, or for the given milliseconds. A wake-up alone says nothing: the last answer may wake this thread
 * after it has seen the new count and asked again.
 */
export function awaitChange(count: Int32Array, before: number, milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (Atomics.load(count, 0) === before) {
    const left = end - performance.now()
    if (left <= 0) return
    Atomics.wait(count, 0, before, left)
  }
}

/** Checks how a testee is started, and fills in the time limits. */
export function checkCommand(testee: TesteeCommand): TimedCommand {
  requireOptions('testee', testee, ['command', 'cwd', 'env', 'timeout', 'startTimeout'])
  const { command, timeout = TIMEOUT } = testee
  const { startTimeout = Math.max(timeout, START_TIMEOUT) } = testee
  const isCommand =
    Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')
  if (!isCommand || command[0] === '')
    throw wrongType('command', "a program and its arguments, such as ['python3', 'my_watermark.py']", command)
  return {
    ...testee,
    timeout: integer('timeout', timeout, 1, MAX_TIMEOUT),
    startTimeout: integer('startTimeout', startTimeout, 1, MAX_TIMEOUT),
  }
}

export class Connection {
  /** Why the testee is gone. */
  failure: TesteeFailure | undefined
  /** Why the testee declined the last request that it declined. */
  skipped: string | undefined
  readonly info: TesteeInfo
  /** The command that started it, as a person would write it. */
  readonly command: string
  readonly #worker: Worker
  readonly #port: MessageChannel['port1']
  readonly #bell = new Int32Array(new SharedArrayBuffer(4))
  /** Milliseconds that any answer may take. */
  readonly #limit: number
  #closed = false

  /** Starts a testee and shakes hands; a TesteeFailure where that fails. */
  constructor(testee: TesteeCommand) {
    const timed = checkCommand(testee)
    this.command = printable(timed.command.join(' '))
    this.#limit = Math.max(timed.timeout, timed.startTimeout)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = startThread({ command: timed, port: port2, bell: this.#bell })
    this.#worker.unref()
    port1.unref()
    this.info = this.ask('start', { protocol: PROTOCOL }, readInfo)
  }

  /** Sends a request and reads its answer; what `read` refuses is the testee's failure. */
  ask<T>(cmd: string, fields: object, read: (ok: { readonly [name: string]: unknown }) => T): T {
    if (this.failure) throw this.failure
    const reply = this.#call({ cmd, fields })
    if ('skipped' in reply) {
      this.skipped = printable(reply.skipped)
      throw new TesteeSkipped(this.skipped)
    }
    if (!('ok' in reply)) throw this.#failed(reply)
    try {
      return read(reply.ok)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      throw this.#failed(this.#call({ refuse: error.message, cmd }))
    }
  }

  /** Asks the testee to end, and ends it where it does not. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#call({ stop: true })
    this.failure ??= new TesteeFailure(`testee '${this.command}' was closed`)
    this.#port.close()
    void this.#worker.terminate()
  }

  #failed(reply: Reply): TesteeFailure {
    if ('bug' in reply) throw new Error(reply.bug)
    this.failure = new TesteeFailure('failure' in reply ? reply.failure : `testee '${this.command}' failed`)
    return this.failure
  }

  #call(call: Call): Reply {
    const before = Atomics.load(this.#bell, 0)
    this.#port.postMessage(call)
    awaitChange(this.#bell, before, this.#limit + GRACE)
    const received = receiveMessageOnPort(this.#port) as { message: Reply } | undefined
    return received?.message ?? { failure: `testee '${this.command}' was lost` }
  }
}
