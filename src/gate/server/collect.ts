/** Collects answers: requests in waves, each answer saved as it comes, none asked for twice. */
import { closeSync, existsSync, openSync, readSync, truncateSync } from 'node:fs'
import { append, isSpecial } from '../../bench/report/index.ts'
import { linesIn } from '../../text/corpus/index.ts'
import { type ClientOptions, ServerFailure, send } from '../../text/models/index.ts'
import { type Completion, completionsOf } from './answer.ts'

/** One request: where it goes and its body, under a name that is unique in the run. */
export interface Ask {
  readonly id: string
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Line {
  readonly id: string
  readonly request: unknown
  readonly response: unknown
}

/** The beginning of every saved answer. */
const BEGINNING = '{"id":"'

function answerIn(line: Uint8Array): Line | undefined {
  try {
    const found = JSON.parse(line.toString()) as Line
    return typeof found?.id === 'string' && found.response !== undefined ? found : undefined
  } catch {
    return undefined
  }
}

/** The answers in a file, which may be larger than the memory: each is read again when it is asked for. */
class SavedAnswers {
  readonly #file: string
  readonly #places = new Map<string, { readonly at: number; readonly size: number }>()
  /** Bytes of complete lines. */
  #end = 0
  /** True where the last answer lacks its line end. */
  #isOpen = false
  /** True where part of an answer may follow the complete lines. */
  #isCut = false

  /** Reads the file of an earlier run, and refuses any other. Changes nothing. */
  constructor(file: string) {
    this.#file = file
    if (!existsSync(file) || isSpecial(file)) return
    let number = 0
    for (const { line, complete } of linesIn(file)) {
      number++
      const id = answerIn(line)?.id
      // an answer that was cut: its request is sent again
      const isCut = !complete && BEGINNING.startsWith(line.subarray(0, BEGINNING.length).toString())
      if (id === undefined && isCut) {
        this.#isCut = true
        return
      }
      if (id === undefined && line.toString().trim() !== '')
        throw new SyntaxError(
          `${file}, line ${number}: expected an answer that \`check --server --out\` saved; give a new file with --out`,
        )
      if (id !== undefined) this.#places.set(id, { at: this.#end, size: line.length })
      this.#isOpen = !complete
      this.#end += line.length + (complete ? 1 : 0)
    }
  }

  get(id: string): Line | undefined {
    const place = this.#places.get(id)
    if (place === undefined) return undefined
    const line = Buffer.alloc(place.size)
    const file = openSync(this.#file, 'r')
    try {
      readSync(file, line, 0, place.size, place.at)
    } finally {
      closeSync(file)
    }
    return answerIn(line)
  }

  /** Adds an answer behind the complete ones. */
  add(line: Line): void {
    const text = `${this.#isOpen ? '\n' : ''}${JSON.stringify(line)}\n`
    if (this.#isCut && !isSpecial(this.#file)) truncateSync(this.#file, this.#end)
    this.#isCut = true // until all of it is written
    append(this.#file, text)
    this.#isCut = false
    this.#isOpen = false
    this.#end += Buffer.byteLength(text)
  }
}

export interface CollectOptions extends ClientOptions {
  readonly out?: string | undefined
  /** Milliseconds after which nothing new is asked for. */
  readonly budgetMs: number
}

export class Collector {
  requests = 0
  resumed = 0
  tokens = 0
  readonly #saved: SavedAnswers | undefined
  readonly #options: CollectOptions
  readonly #began = Date.now()

  constructor(options: CollectOptions) {
    this.#options = options
    this.#saved = options.out === undefined ? undefined : new SavedAnswers(options.out)
  }

  /** Returns whether the time for new requests is over. */
  get isOver(): boolean {
    return Date.now() - this.#began >= this.#options.budgetMs
  }

  /** Returns the texts of one request. */
  async ask({ id, url, body }: Ask): Promise<Completion[]> {
    const saved = this.#saved?.get(id)
    const request = { url, ...body }
    const isSame = saved !== undefined && JSON.stringify(saved.request) === JSON.stringify(request)
    if (isSame) this.resumed++
    const response = isSame ? saved.response : await send(url, body, this.#options)
    const completions = completionsOf(response, Number(body.top_logprobs ?? body.logprobs ?? 0))
    if (!isSame) this.#saved?.add({ id, request, response })
    this.requests++
    for (const { tokens } of completions) this.tokens += tokens.length
    return completions
  }

  /** Sends requests side by side. What was answered is saved, also where another one fails. */
  async together(asks: readonly Ask[]): Promise<Completion[][]> {
    const settled = await Promise.allSettled(asks.map((ask) => this.ask(ask)))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw this.#told(failed.reason)
    return settled.map((one) => (one as PromiseFulfilledResult<Completion[]>).value)
  }

  #told(error: unknown): unknown {
    if (!(error instanceof ServerFailure) || this.#options.out === undefined) return error
    return new ServerFailure(
      `${error.message}; ${this.requests} answers are in ${this.#options.out}, run the same command again to resume`,
    )
  }
}
