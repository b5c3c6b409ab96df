/** A testee as a process: one request at a time, an answer or a clear failure, and no process left behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { printable, show } from '../../input.ts'

/** The command that starts a testee. */
export interface TesteeCommand {
  /** Program and arguments, such as ['python3', 'my_watermark.py']. */
  readonly command: readonly string[]
  readonly cwd?: string
  /** Environment variables, besides those of this process that hold no secrets: `UWBENCH_KEY`, variables of clouds, such as `AWS_...`, and names that end in TOKEN, PASSWORD, SECRET or the like are passed only if named here; `HF_TOKEN` is passed. */
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds that one answer may take. Default one minute. */
  readonly timeout?: number
  /** Milliseconds until the answer to `start`, before which a testee may load a model. Default: `timeout`, at least two minutes. */
  readonly startTimeout?: number
}

/** A command with its time limits. */
export type TimedCommand = TesteeCommand & Required<Pick<TesteeCommand, 'timeout' | 'startTimeout'>>

/**
 * The testee failed, not its watermark: it could not be started, died, hung, or broke the protocol.
 * @example
 * const failure = await checkTestee({ command: ['no-such-program'] }).catch((error) => error)
 * failure instanceof TesteeFailure // true
 */
export class TesteeFailure extends Error {
  override readonly name = 'TesteeFailure'
}

/** Variables that hold the key, the password of a queue, or what opens an account: by the name of a cloud, or by how secrets are called. `HF_TOKEN` loads models. */
const SECRET =
  /^(?!HF_TOKEN$)(UWBENCH_(KEY|QUEUE)|(AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|ALIBABA|ALICLOUD|OCI|DIGITALOCEAN|CLOUDFLARE)_.*|(.*_)?(TOKEN|(PG)?PASSWORD|PASSWD|SECRET|SECRET_KEY|ACCESS_KEY|API_KEY|PRIVATE_KEY|CREDENTIALS))$/i

const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)))

/** Longest answer, in bytes: many times what any request asks for. */
const MAX_ANSWER = 2 ** 26
/** Characters of standard error that are kept, and those that are shown. */
const MAX_STDERR = 2000
const MAX_SHOWN = 400
/** Milliseconds that a testee may take to end after `stop`. */
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
const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ')).replace(/\s+/g, ' ').trim()

const clip = (text: string): string => {
  const line = oneLine(text)
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}

/**
 * A shell that ends a process group as soon as this process is gone, however it went: its standard input closes. A line on it says
 * that there is nothing left to end.
 */
function watch(group: number): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined
  const script = 'read -r done || kill -s KILL -- "-$1"'
  const watchdog = spawn('sh', ['-c', script, 'sh', `${group}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.on('error', () => {}) // without a shell there is no watchdog
  watchdog.stdin!.on('error', () => {})
  return watchdog
}

interface Pending {
  readonly seq: number
  readonly cmd: string
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

export type Answer = { readonly ok: { readonly [name: string]: unknown } } | { readonly skipped: string }

/** Reads an answer, or says in words what is wrong with it. */
function readAnswer(line: string, { seq, cmd }: Pick<Pending, 'seq' | 'cmd'>): Answer | string {
  let answer: { seq?: unknown; ok?: unknown; error?: unknown; skipped?: unknown } | null
  try {
    answer = JSON.parse(line)
  } catch {
    return `answered "${cmd}" with something other than JSON: ${clip(line)}`
  }
  if (answer === null || typeof answer !== 'object')
    return `answered "${cmd}" with something other than an object: ${clip(line)}`
  if (answer.seq !== seq) return `answered out of order: expected seq ${seq}, got ${show(answer.seq)}`
  const { ok, error, skipped } = answer
  if (error !== undefined && error !== null) {
    const { message } = error as { message?: unknown }
    return `reported an error: ${clip(String(message ?? 'no message'))}`
  }
  if (typeof skipped === 'string') return { skipped }
  if (ok === null || typeof ok !== 'object') return `answered "${cmd}" without ok, error or skipped`
  return { ok: ok as { [name: string]: unknown } }
}

export class TesteeProcess {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #limits: Pick<TimedCommand, 'timeout' | 'startTimeout'>
  #seq = 0
  #last: string | undefined
  #pending: Pending | undefined
  #failure: TesteeFailure | undefined
  #chunks: Buffer[] = []
  #buffered = 0
  #stderr = ''
  #ended = false
  #stopping = false
  readonly #watchdog: ChildProcess | undefined
  readonly #exit: Promise<void>

  constructor({ command, cwd, env, timeout, startTimeout }: TimedCommand) {
    this.#limits = { timeout, startTimeout }
    this.#name = command.join(' ')
    guard()
    running.add(this)
    // a process group of its own, so that what the testee starts ends with it
    this.#child = spawn(command[0]!, command.slice(1), {
      cwd,
      env: { ...withoutSecrets(process.env), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#watchdog = this.#child.pid === undefined ? undefined : watch(this.#child.pid)
    this.#exit = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.#ended = true
        this.kill() // what it started may still run
      })
      this.#child.once('close', (code, signal) => {
        this.#fail(signal === null ? `exited with code ${code}` : `was ended by ${signal}`)
        resolve()
      })
    })
    this.#child.once('error', (error) => {
      this.#ended = true
      this.kill()
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
    this.#last = `seq ${seq}, ${cmd}`
    return new Promise((resolve, reject) => {
      const limit = cmd === 'start' ? this.#limits.startTimeout : this.#limits.timeout
      const timer = setTimeout(() => this.#fail(`did not answer "${cmd}" within ${limit / 1000} s`), limit)
      this.#pending = { seq, cmd, resolve, reject, timer }
      this.#child.stdin!.write(`${JSON.stringify({ seq, cmd, ...fields })}\n`)
    })
  }

  /** Asks the testee to end, and ends it where it does not. */
  async stop(): Promise<void> {
    if (!this.#ended && !this.#failure) {
      this.#stopping = true
      this.#child.stdin!.end(`${JSON.stringify({ seq: this.#seq++, cmd: 'stop' })}\n`)
      await Promise.race([this.#exit, new Promise((resolve) => setTimeout(resolve, GRACE).unref())])
    }
    this.kill()
  }

  /** Ends the testee and everything that it started, at once. */
  kill(): void {
    if (!running.delete(this)) return
    const { pid } = this.#child
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL')
      else if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // it has ended already
    }
    this.#watchdog?.stdin?.end('done\n')
  }

  /** Fails the testee for an answer that was well formed as a line but broke the protocol. */
  refuse(why: string, cmd: string): TesteeFailure {
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
      if (!this.#failure && !this.#stopping && line.trim() !== '') this.#take(line)
    }
    if (this.#failure || this.#stopping) return
    this.#chunks.push(chunk.subarray(from))
    this.#buffered += chunk.length - from
    if (this.#buffered > MAX_ANSWER) this.#fail(`wrote more than ${MAX_ANSWER} bytes in one line`)
  }

  #take(line: string): void {
    const pending = this.#pending
    if (pending === undefined) {
      this.#fail(`wrote a line without being asked: ${clip(line)}`)
      return
    }
    const answer = readAnswer(line, pending)
    if (typeof answer === 'string') {
      this.#fail(answer)
      return
    }
    clearTimeout(pending.timer)
    this.#pending = undefined
    pending.resolve(answer)
  }

  #fail(what: string): void {
    if (this.#failure === undefined) {
      const last = this.#last === undefined ? '' : ` (last request: ${this.#last})`
      const stderr = oneLine(this.#stderr).slice(-MAX_SHOWN)
      this.#failure = new TesteeFailure(
        `testee '${clip(this.#name)}' ${what}${last}${stderr === '' ? '' : `; its standard error ends: ${stderr}`}`,
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
