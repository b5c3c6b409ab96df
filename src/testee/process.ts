/** A testee as a process: one request at a time, an answer or a clear failure, and no process left behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { integer, show, wrongType } from '../input.ts'
import { ProtocolError } from './protocol.ts'

export interface TesteeCommand {
  /** Program and arguments, such as ['python3', 'my_watermark.py']. */
  readonly command: readonly string[]
  readonly cwd?: string
  /** Environment variables, beside those of this process. */
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds that one answer may take. Default one minute. */
  readonly timeout?: number
}

/** The testee, not the watermark, failed: it died, hung, or broke the protocol. */
export class TesteeFailure extends Error {
  override readonly name = 'TesteeFailure'
}

/** Longest answer, in bytes: 64 rows of a vocabulary of 200,000 tokens in base64 take a half of it. */
const MAX_ANSWER = 2 ** 28
/** How much of standard error is kept for messages. */
const MAX_STDERR = 2000
/** How long a testee may take to end after `stop`, in milliseconds. */
const GRACE = 2000

/** Testees that run: none outlives this process. */
const running = new Set<TesteeProcess>()
let guarded = false
function guard(): void {
  if (guarded) return
  guarded = true
  process.once('exit', () => {
    for (const testee of running) testee.kill()
  })
}

/** Printable and on one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()

interface Pending {
  readonly seq: number
  readonly cmd: string
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

type Answer = { readonly ok: { readonly [name: string]: unknown } } | { readonly skipped: string }

export class TesteeProcess {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #timeout: number
  #seq = 0
  #pending: Pending | undefined
  #failure: TesteeFailure | undefined
  #chunks: Buffer[] = []
  #buffered = 0
  #stderr = ''
  #ended = false
  readonly #exit: Promise<void>

  constructor({ command, cwd, env, timeout }: TesteeCommand) {
    if (!Array.isArray(command) || command.length === 0 || command.some((word) => typeof word !== 'string'))
      throw wrongType('command', "a program and its arguments, such as ['python3', 'testee.py']", command)
    this.#timeout = integer('timeout', timeout ?? 60_000, 1)
    this.#name = command.join(' ')
    guard()
    running.add(this)
    // a process group of its own, so that what the testee starts ends with it
    this.#child = spawn(command[0]!, command.slice(1), {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#exit = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#ended = true
        running.delete(this)
        this.#fail(signal === null ? `exited with code ${code}` : `was ended by ${signal}`)
        resolve()
      })
    })
    this.#child.once('error', (error) => {
      this.#ended = true
      running.delete(this)
      this.#fail(`could not be started: ${error.message}`)
    })
    this.#child.stdin!.on('error', () => {}) // its exit is reported, not the broken pipe
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MAX_STDERR)
    })
  }

  /** Sends a request; the answer's `ok`, or `skipped` with the testee's reason. */
  request(cmd: string, fields: object = {}): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#pending) throw new Error('one request at a time')
    const seq = this.#seq++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(`did not answer "${cmd}" within ${this.#timeout / 1000} s`),
        this.#timeout,
      )
      this.#pending = { seq, cmd, resolve, reject, timer }
      this.#child.stdin!.write(`${JSON.stringify({ seq, cmd, ...fields })}\n`)
    })
  }

  /** Asks the testee to end, and ends it where it does not. */
  async stop(): Promise<void> {
    if (!this.#ended && !this.#failure) {
      this.#child.stdin!.end(`${JSON.stringify({ seq: this.#seq++, cmd: 'stop' })}\n`)
      await Promise.race([this.#exit, new Promise((resolve) => setTimeout(resolve, GRACE).unref())])
    }
    this.kill()
  }

  /** Ends the testee and everything that it started, at once. */
  kill(): void {
    running.delete(this)
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL')
      else process.kill(-pid, 'SIGKILL')
    } catch {
      // it has ended already
    }
  }

  /** What broke the protocol in an answer that was well formed as a line. */
  failed(error: unknown, cmd: string): TesteeFailure {
    const why = error instanceof ProtocolError ? error.message : String(error)
    this.#fail(`broke the protocol in its answer to "${cmd}": ${why}`)
    return this.#failure!
  }

  #read(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(10, from); end >= 0; end = chunk.indexOf(10, from)) {
      this.#chunks.push(chunk.subarray(from, end))
      const line = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      this.#buffered = 0
      from = end + 1
      if (!this.#failure && line.trim() !== '') this.#take(line)
    }
    this.#chunks.push(chunk.subarray(from))
    this.#buffered += chunk.length - from
    if (this.#buffered > MAX_ANSWER) this.#fail(`wrote more than ${MAX_ANSWER} bytes in one line`)
  }

  #take(line: string): void {
    const pending = this.#pending
    if (pending === undefined) return this.#fail(`wrote a line without being asked: ${clip(line)}`)
    let answer: { seq?: unknown; ok?: unknown; error?: unknown; skipped?: unknown }
    try {
      answer = JSON.parse(line)
    } catch {
      return this.#fail(`answered "${pending.cmd}" with something other than JSON: ${clip(line)}`)
    }
    if (answer === null || typeof answer !== 'object' || answer.seq !== pending.seq)
      return this.#fail(`answered seq ${show(answer?.seq)} where "${pending.cmd}" was seq ${pending.seq}`)
    if (answer.error !== undefined) {
      const { message } = answer.error as { message?: unknown }
      return this.#fail(`reported an error on "${pending.cmd}": ${clip(String(message ?? 'no message'))}`)
    }
    const skipped = typeof answer.skipped === 'string' ? answer.skipped : undefined
    if (skipped === undefined && (answer.ok === null || typeof answer.ok !== 'object'))
      return this.#fail(`answered "${pending.cmd}" without ok, error or skipped`)
    clearTimeout(pending.timer)
    this.#pending = undefined
    pending.resolve(skipped === undefined ? { ok: answer.ok as { [name: string]: unknown } } : { skipped })
  }

  #fail(what: string): void {
    if (this.#failure === undefined) {
      const last = oneLine(this.#stderr).slice(-400)
      this.#failure = new TesteeFailure(
        `testee '${oneLine(this.#name)}' ${what}${last === '' ? '' : `; its standard error ends: ${last}`}`,
      )
    }
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined) {
      clearTimeout(pending.timer)
      pending.reject(this.#failure)
    }
    if (!this.#ended) this.kill()
  }
}

const clip = (text: string): string => {
  const line = oneLine(text)
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}
