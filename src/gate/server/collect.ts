/** Collects answers: requests in waves, each answer saved as it comes, none asked for twice. */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
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

/** Reads the answers of an earlier run. A last line that was cut is removed: its request is sent again. */
function readLines(file: string): Map<string, Line> {
  const lines = new Map<string, Line>()
  if (!existsSync(file)) return lines
  const content = readFileSync(file)
  const end = content.lastIndexOf(0x0a) + 1
  if (end < content.length) truncateSync(file, end)
  for (const [i, text] of content.subarray(0, end).toString('utf8').split('\n').entries()) {
    if (text.trim() === '') continue
    let line: Line | undefined
    try {
      line = JSON.parse(text)
    } catch {
      line = undefined
    }
    if (typeof line?.id !== 'string' || line.response === undefined)
      throw new SyntaxError(
        `${file}, line ${i + 1}: expected an answer that \`check --server --out\` saved; give a new file with --out`,
      )
    lines.set(line.id, line)
  }
  return lines
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
  readonly #saved: Map<string, Line>
  readonly #options: CollectOptions
  readonly #began = Date.now()

  constructor(options: CollectOptions) {
    this.#options = options
    this.#saved = options.out === undefined ? new Map() : readLines(options.out)
  }

  /** Returns whether the time for new requests is over. */
  get isOver(): boolean {
    return Date.now() - this.#began >= this.#options.budgetMs
  }

  /** Returns the texts of one request. */
  async ask({ id, url, body }: Ask): Promise<Completion[]> {
    const saved = this.#saved.get(id)
    const isSame = saved !== undefined && JSON.stringify(saved.request) === JSON.stringify({ url, ...body })
    if (isSame) this.resumed++
    const response = isSame ? saved.response : await send(url, body, this.#options)
    const completions = completionsOf(response, Number(body.top_logprobs ?? body.logprobs ?? 0))
    if (!isSame && this.#options.out !== undefined)
      appendFileSync(this.#options.out, `${JSON.stringify({ id, request: { url, ...body }, response })}\n`)
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
