/**
 * Detection on every core: batches of texts go to threads through shared memory, and only three numbers per text come back. The results
 * are those of `detectMany`.
 */
import type { Worker } from 'node:worker_threads'
import type { DetectOptions } from '../detect/detect.ts'
import type { TextDetection } from '../detect/detect-many.ts'
import { integer, iterable, wrongType } from '../input.ts'
import type { Tokens } from '../keys/rule.ts'
import { checkTokens } from '../keys/tokens.ts'
import type { AnyWatermark } from '../watermarks/index.ts'
import type { BatchAnswer, TextBatch } from './detect-thread.ts'
import { workerCount } from './pool.ts'
import { startThread } from './start-thread.ts'
import { type BatchOptions, type CorpusPool, checkBatch, detectionsOf } from './text-batch.ts'

export interface CorpusOptions extends DetectOptions {
  /** Threads that test texts; one per core by default. */
  readonly threads?: number
  /** URL of the module that exports the watermark, for one that does not ship with the package: threads import it. */
  readonly module?: string
  readonly signal?: AbortSignal
}

interface Seat {
  readonly thread: Worker
  settle?: (answer: BatchAnswer | Error) => void
}

/** The most threads. */
const MAX_THREADS = 1024

/** Threads that test batches of texts, one each at a time. */
export class DetectPool implements CorpusPool {
  readonly size: number
  readonly #idle: Seat[] = []
  readonly #seats = new Set<Seat>()
  readonly #waiting: { resolve(seat: Seat): void; reject(error: Error): void }[] = []
  /** Shared memory that no thread reads any more. */
  readonly #rooms: Int32Array[] = []
  #closed: Error | undefined

  constructor(threads: number = Math.max(1, workerCount())) {
    this.size = integer('threads', threads, 1, MAX_THREADS)
  }

  #start(): Seat {
    const seat: Seat = { thread: startThread('detect-thread', undefined) }
    seat.thread.on('message', (answer: BatchAnswer) => seat.settle?.(answer))
    const lose = (error: Error): void => {
      this.#seats.delete(seat)
      seat.settle?.(error)
    }
    seat.thread.on('error', lose)
    seat.thread.on('exit', (code) => lose(this.#closed ?? new Error(`a thread exited with code ${code}`)))
    this.#seats.add(seat)
    return seat
  }

  async #seat(): Promise<Seat> {
    const free = this.#idle.pop()
    if (free) return free
    if (this.#seats.size < this.size) return this.#start()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #release(seat: Seat): void {
    seat.settle = undefined
    const next = this.#waiting.shift()
    if (!this.#seats.has(seat)) {
      next?.resolve(this.#start())
    } else if (next) next.resolve(seat)
    else this.#idle.push(seat)
  }

  /** Tests texts, in the order given. */
  async test(
    watermark: AnyWatermark,
    texts: readonly Tokens[],
    options: BatchOptions,
    name: (i: number) => string = (i) => `texts[${i}]`,
  ): Promise<TextDetection[]> {
    const { module } = options
    const rest = checkBatch(watermark, options)
    const check = (text: Tokens, i: number): void => checkTokens(text, options.vocabSize, name(i))
    // integers are checked by the thread; a copy of anything else would hide what is wrong with it
    for (const [i, text] of texts.entries())
      if (!(text instanceof Int32Array) || text.length === 0) check(text, i)
    const lengths = Int32Array.from(texts, (text) => text.length)
    const room = this.#room(lengths.reduce((a, b) => a + b, 0))
    let at = 0
    for (const text of texts) {
      room.set(text, at)
      at += text.length
    }
    const skip = options.skip === undefined ? {} : { skip: [...options.skip] }
    const batch: TextBatch = {
      ...{ watermark: watermark.id, tokens: room, lengths, options: { ...rest, ...skip } },
      ...(module === undefined ? {} : { module }),
    }
    const outcomes = await this.#run(batch).catch((error: Error) => {
      texts.forEach(check) // by the name that it has here
      throw error
    })
    this.#rooms.push(room)
    return detectionsOf(watermark, options, outcomes)
  }

  /** Shared memory for so many tokens: that of an earlier batch where one fits. */
  #room(tokens: number): Int32Array {
    const known = this.#rooms.pop()
    return known !== undefined && known.length >= tokens
      ? known
      : new Int32Array(new SharedArrayBuffer(4 * Math.max(tokens, MAX_BATCH_TOKENS)))
  }

  async #run(batch: TextBatch): Promise<Float64Array> {
    if (this.#closed) throw this.#closed
    const seat = await this.#seat()
    const answer = await new Promise<BatchAnswer | Error>((resolve) => {
      seat.settle = resolve
      seat.thread.postMessage(batch)
    })
    this.#release(seat)
    if (answer instanceof Error) throw answer
    if ('outcomes' in answer) return answer.outcomes
    throw Object.assign(new Error(answer.error), { name: answer.name })
  }

  /** Ends the threads at once; what they were at fails with `error`. */
  async close(error: Error = new Error('the detection was closed')): Promise<void> {
    this.#closed ??= error
    const open = [...this.#seats]
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed)
    for (const seat of open) seat.settle?.(this.#closed)
    await Promise.all(open.map(({ thread }) => thread.terminate()))
  }
}

/** Texts and tokens that go to a thread together: enough to make the message cheap, few enough to keep all threads busy. */
const MAX_BATCH = 256
const MAX_BATCH_TOKENS = 2 ** 17

async function* batches(texts: Iterable<Tokens> | AsyncIterable<Tokens>): AsyncGenerator<Tokens[]> {
  let batch: Tokens[] = []
  let size = 0
  for await (const text of texts) {
    batch.push(text)
    size += text?.length ?? 0
    if (batch.length < MAX_BATCH && size < MAX_BATCH_TOKENS) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/**
 * Tests the texts of a corpus on several threads: what `detectMany` finds, in the same order, without the scores per token. Reads no
 * further ahead than the threads need, so a corpus may be larger than memory.
 * @example
 * const texts = [1, 2, 3].map((i) => Array.from({ length: 100 }, (_, t) => (i * t * t) % 997))
 * const found = []
 * for await (const { detected } of detectCorpus(gumbel(), texts, { key: 'secret', vocabSize: 50257 })) found.push(detected)
 * found // [false, false, false]
 */
export async function* detectCorpus(
  watermark: AnyWatermark,
  texts: Iterable<Tokens> | AsyncIterable<Tokens>,
  options: CorpusOptions,
): AsyncGenerator<TextDetection> {
  const { threads, signal, ...rest } = options ?? {}
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrongType('signal', 'an AbortSignal', signal)
  const isAsync = typeof (texts as AsyncIterable<Tokens> | null)?.[Symbol.asyncIterator] === 'function'
  if (!isAsync) iterable('texts', texts, 'texts that can be iterated, each a list of token ids')
  const pool = new DetectPool(threads)
  const abort = (): void => void pool.close(signal!.reason as Error)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', abort, { once: true })
  const running: Promise<TextDetection[]>[] = []
  let count = 0
  try {
    for await (const batch of batches(texts)) {
      signal?.throwIfAborted()
      const first = count
      count += batch.length
      const run = pool.test(watermark, batch, rest as DetectOptions, (i) => `texts[${first + i}]`)
      run.catch(() => {}) // heard when its turn comes
      running.push(run)
      if (running.length >= 2 * pool.size) yield* await running.shift()!
    }
    while (running.length > 0) yield* await running.shift()!
  } finally {
    signal?.removeEventListener('abort', abort)
    await pool.close()
  }
}
