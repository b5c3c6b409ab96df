/**
 * A client of the generator protocol (docs/generator.md): texts come from a process, such as Python on a GPU. A process that dies, hangs or
 * answers with something else gives one line, and what came before it is kept.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { integer, printable, show } from '../../input.ts'
import type { Generation } from '../../text/models/index.ts'
import {
  checkedText,
  type GeneratorInfo,
  type GeneratorSampling,
  type GeneratorText,
} from './generator-protocol.ts'

export interface GeneratorOptions {
  /** Program and arguments, such as ['python3', '-m', 'uwbench.generate', ...]. */
  readonly command: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds until the answer to `start`, before which the generator loads its model. Default ten minutes. */
  readonly startTimeout?: number
  /** Milliseconds between two lines of the generator while it writes. Default ten minutes. */
  readonly timeout?: number
  /** Texts of one request: what is lost where the generator dies. Default 64. */
  readonly batch?: number
}

/** The generator failed: it could not be started, died, hung, broke the protocol or reported an error. */
export class GeneratorFailure extends Error {
  override readonly name = 'GeneratorFailure'
}

/** The characters of standard error that are kept. */
const MAX_STDERR = 400
/** True where a process can have a group of its own. */
const GROUPS = process.platform !== 'win32'
/** Milliseconds that a generator may take to end after `stop`. */
const GRACE = 5000

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ')).trim()

type Fields = { readonly [name: string]: unknown }

interface Pending {
  readonly seq: number
  readonly resolve: (ok: Fields) => void
  readonly reject: (error: Error) => void
}

/** Generators of this thread by command: a large model is loaded once. */
const running = new Map<string, Promise<Generator>>()

/** A generator that runs. `Generator.start` makes one. */
export class Generator {
  readonly #child: ChildProcess
  readonly #options: Required<Pick<GeneratorOptions, 'timeout' | 'startTimeout' | 'batch'>>
  readonly #command: string
  readonly #closed: Promise<void>
  #info: GeneratorInfo | undefined
  #pending: Pending | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: GeneratorFailure | undefined
  #onProgress: ((done: number) => void) | undefined
  #seq = 0
  #stderr = ''
  #stopping = false

  private constructor({
    command,
    env,
    timeout = 600_000,
    startTimeout = 600_000,
    batch = 64,
  }: GeneratorOptions) {
    this.#options = { timeout, startTimeout, batch: integer('batch', batch, 1) }
    this.#command = oneLine(command.join(' ')).slice(0, 120)
    this.#child = spawn(command[0]!, command.slice(1), {
      env: { ...process.env, ...env },
      stdio: 'pipe',
      detached: GROUPS, // what the generator starts ends with it
    })
    this.#child.once('error', (error) => this.#fail(`could not be started: ${error.message}`))
    this.#child.stdin!.on('error', () => {}) // its exit is reported, not the broken pipe
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-MAX_STDERR)
    })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#take(line))
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        if (!this.#stopping)
          this.#fail(signal === null ? `exited with code ${code}` : `was ended by ${signal}`)
        resolve()
      })
    })
  }

  /** Starts a generator and waits until it has loaded its model. */
  static async start(options: GeneratorOptions): Promise<Generator> {
    const generator = new Generator(options)
    try {
      generator.#info = generator.#checkInfo(await generator.#request('start', { protocol: 1 }))
      return generator
    } catch (error) {
      await generator.stop()
      throw error
    }
  }

  /** Returns the generator of a command, started at first use; `stopAll` ends it. */
  static shared(command: readonly string[]): Promise<Generator> {
    const name = command.join('\n')
    const found = running.get(name) ?? Generator.start({ command })
    running.set(name, found)
    return found
  }

  static async stopAll(): Promise<void> {
    const all = [...running.values()]
    running.clear()
    await Promise.all(all.map((one) => one.then((generator) => generator.stop()).catch(() => {})))
  }

  get info(): GeneratorInfo {
    return this.#info!
  }

  /**
   * Writes texts, in batches. Each batch is checked before it counts, and `onTexts` gets it at once: where the generator dies later,
   * those texts are not lost.
   */
  async write(
    texts: readonly GeneratorText[],
    sampling: GeneratorSampling,
    onTexts?: (first: number, written: readonly Generation[]) => void,
    onProgress?: (done: number) => void,
  ): Promise<Generation[]> {
    const written: Generation[] = []
    for (let first = 0; first < texts.length; first += this.#options.batch) {
      const asked = texts.slice(first, first + this.#options.batch)
      this.#onProgress = onProgress && ((done) => onProgress(first + done))
      const { texts: answered } = await this.#request('generate', { ...sampling, texts: asked })
      const batch = this.#checkBatch(answered, asked, sampling, first)
      written.push(...batch)
      onTexts?.(first, batch)
    }
    return written
  }

  /** Asks the generator to end, and ends it where it does not. */
  async stop(): Promise<void> {
    if (!this.#failure && !this.#stopping) {
      this.#stopping = true
      this.#child.stdin!.end(`${JSON.stringify({ seq: this.#seq++, cmd: 'stop' })}\n`)
    }
    const timer = setTimeout(() => this.#kill(), GRACE)
    if (this.#child.pid !== undefined) await this.#closed
    clearTimeout(timer)
  }

  #request(cmd: 'start' | 'generate', fields: object): Promise<Fields> {
    if (this.#failure) return Promise.reject(this.#failure)
    const seq = this.#seq++
    return new Promise((resolve, reject) => {
      this.#pending = { seq, resolve, reject }
      this.#wait(cmd === 'start' ? this.#options.startTimeout : this.#options.timeout)
      this.#child.stdin!.write(`${JSON.stringify({ seq, cmd, ...fields })}\n`)
    })
  }

  /** Gives the generator `limit` milliseconds for its next line. */
  #wait(limit: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fail(`wrote nothing for ${limit / 1000} s`), limit)
  }

  #take(line: string): void {
    const pending = this.#pending
    if (this.#failure || this.#stopping || line.trim() === '') return
    if (pending === undefined) return void this.#fail(`wrote a line without being asked: ${clip(line)}`)
    let answer: { seq?: unknown; ok?: unknown; error?: { message?: unknown }; progress?: { done?: unknown } }
    try {
      answer = Object(JSON.parse(line))
    } catch {
      return void this.#fail(`answered with something other than JSON: ${clip(line)}`)
    }
    const { seq, ok, error, progress } = answer
    if (seq !== pending.seq)
      return void this.#fail(`answered out of order: expected seq ${pending.seq}, got ${show(seq)}`)
    if (progress !== undefined) {
      this.#wait(this.#options.timeout)
      if (typeof progress?.done === 'number') this.#onProgress?.(progress.done)
      return
    }
    if (error !== undefined) return void this.#fail(`reported an error: ${clip(String(error?.message))}`)
    if (typeof ok !== 'object' || ok === null)
      return void this.#fail(`answered without ok or error: ${clip(line)}`)
    clearTimeout(this.#timer)
    this.#pending = undefined
    pending.resolve(ok as Fields)
  }

  #fail(what: string): GeneratorFailure {
    clearTimeout(this.#timer)
    const stderr = oneLine(this.#stderr)
    this.#failure ??= new GeneratorFailure(
      `generator '${this.#command}' ${what}${stderr === '' ? '' : `; its standard error ends: ${stderr}`}`,
    )
    this.#pending?.reject(this.#failure)
    this.#pending = undefined
    this.#kill()
    return this.#failure
  }

  #kill(): void {
    const { pid } = this.#child
    try {
      if (GROUPS && pid !== undefined) process.kill(-pid, 'SIGKILL')
      else this.#child.kill('SIGKILL')
    } catch {
      // it has ended already
    }
  }

  #checkInfo(ok: Fields): GeneratorInfo {
    const { protocol, model, vocabSize, endTokens, maxLength, methods } = ok
    const broken = (field: string): GeneratorFailure =>
      this.#fail(`broke the protocol in its answer to "start": ${field} is ${show(ok[field])}`)
    if (protocol !== 1) throw broken('protocol')
    if (typeof model !== 'string') throw broken('model')
    if (!Number.isSafeInteger(vocabSize) || Number(vocabSize) < 1) throw broken('vocabSize')
    if (!Array.isArray(endTokens)) throw broken('endTokens')
    if (!(Number(maxLength) >= 1)) throw broken('maxLength')
    if (!Array.isArray(methods)) throw broken('methods')
    return ok as unknown as GeneratorInfo
  }

  #checkBatch(
    answered: unknown,
    asked: readonly GeneratorText[],
    sampling: GeneratorSampling,
    first: number,
  ): Generation[] {
    if (!Array.isArray(answered) || answered.length !== asked.length)
      throw this.#fail(
        `was asked for ${asked.length} texts and wrote ${Array.isArray(answered) ? answered.length : 'none'}`,
      )
    return answered.map((text, i) => {
      try {
        return checkedText(text, asked[i]!, sampling, this.info)
      } catch (error) {
        throw this.#fail(`wrote a wrong text ${first + i}: ${(error as Error).message}`)
      }
    })
  }
}

const clip = (text: string): string => oneLine(text).slice(0, 200)
