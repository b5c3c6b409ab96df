/**
 * Continuous batching: texts join and leave a batch between two steps of the model. Each has its own random stream, embedder and
 * warpers, so its law does not depend on the others.
 */
import { setImmediate } from 'node:timers/promises'
import {
  beginTexts,
  dropFinished,
  extend,
  type LanguageModel,
  type Loop,
  type Session,
  type Text,
} from '../../text/decode/index.ts'
import { ApiError } from './api-error.ts'

/** A text of a request. Its loop's `onToken` hears every token; the text may be ended there, or from outside, by setting `finish`. */
export interface Writing extends Text {
  readonly loop: Loop
  /** Hears that the text ends here: by an error, or because the server stops. */
  cut(error?: unknown): void
}

/** Rows that are computed together. */
interface Batch {
  readonly session: Session
  readonly live: Writing[]
}

export class Batcher {
  readonly #model: LanguageModel
  readonly #size: number
  readonly #queue: number
  #waiting: Writing[] = []
  #joining: Writing[] = []
  #batches: Batch[] = []
  #runs: Promise<void> | undefined

  /** @param size texts that are written at once @param queue texts that may wait */
  constructor(model: LanguageModel, size: number, queue: number) {
    this.#model = model
    this.#size = size
    this.#queue = queue
  }

  get running(): number {
    return this.#batches.reduce((sum, { live }) => sum + live.length, this.#joining.length)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Refuses a request for more texts than there is room for. Asked before they are prepared: a body of 1 MB can ask for millions. */
  requireRoom(count: number): void {
    const most = this.#size + this.#queue
    if (count > most)
      throw new ApiError(400, `n: expected at most ${most} texts, got ${count}`, { param: 'n' })
    if (count > most - this.running - this.waiting)
      throw new ApiError(429, `the queue of ${this.#queue} texts is full; try again in a moment`, {
        code: 'queue_full',
      })
  }

  /** Adds the texts of one request, for which there is room. */
  add(texts: readonly Writing[]): void {
    this.#waiting.push(...texts)
    this.#runs ??= this.#run().finally(() => {
      this.#runs = undefined
    })
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    while (this.#runs) await this.#runs
  }

  /** Ends every text where it is. */
  stop(): void {
    for (const text of [this.#waiting, this.#joining, ...this.#batches.map(({ live }) => live)].flat())
      if (text.finish === undefined) end(text)
  }

  async #run(): Promise<void> {
    while (true) {
      await this.#admit()
      if (this.#batches.length === 0) return
      for (const batch of this.#batches) await this.#step(batch)
      this.#batches = this.#batches.filter(({ live }) => live.length > 0)
      // a model that answers at once must not keep requests from being read
      await setImmediate()
    }
  }

  /** Lets waiting texts join, in the order in which they came. */
  async #admit(): Promise<void> {
    this.#waiting = this.#waiting.filter(({ finish }) => finish === undefined)
    const texts = this.#waiting.splice(0, Math.max(0, this.#size - this.running))
    if (texts.length === 0) return
    this.#joining = texts
    try {
      const session = await beginTexts(this.#model, texts)
      const [first] = this.#batches
      if (first?.session.join) {
        first.session.join(session)
        first.live.push(...texts)
      } else this.#batches.push({ session, live: texts })
    } catch (error) {
      for (const text of texts) end(text, error)
    } finally {
      this.#joining = []
    }
  }

  async #step({ session, live }: Batch): Promise<void> {
    try {
      const { vocabSize } = this.#model
      const drawn = live.map((text, row) => next(text, session.logits, row * vocabSize))
      const rows = dropFinished(live)
      if (live.length === 0) {
        session.dispose()
        return
      }
      if (rows.length < drawn.length) session.select(rows)
      await session.step(rows.map((row) => drawn[row]!))
    } catch (error) {
      for (const text of live.splice(0)) end(text, error)
      session.dispose()
    }
  }
}

/** Ends a text where it is. */
function end(text: Writing, error?: unknown): void {
  text.finish ??= 'stop'
  text.cut(error)
}

/** Draws the next token of a text that goes on. An error of one text does not end the others. */
function next(text: Writing, logits: Float32Array, from: number): number {
  if (text.finish !== undefined) return 0
  try {
    return extend(text, logits, from, text.loop)
  } catch (error) {
    end(text, error)
    return 0
  }
}
