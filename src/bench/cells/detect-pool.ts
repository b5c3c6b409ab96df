/**
 * Detection on every core: batches of texts go to threads through shared memory, and only three numbers per text come back. The results
 * are those of `detectMany`.
 */
import type { DetectOptions, TextDetection } from '../../core/detect/index.ts'
import type { Tokens } from '../../core/keys/index.ts'
import { checkTokens } from '../../core/keys/index.ts'
import { integer, iterable, wrongType } from '../../input.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import type { Cell } from './cell.ts'
import type { TextBatch } from './detect-batch.ts'
import { openPool, type ThreadPool, workerCount } from './pool.ts'
import {
  type BatchOptions,
  type CorpusPool,
  checkBatch,
  detectionsOf,
  inOrder,
  isFull,
  joined,
  MAX_BATCH_TOKENS,
} from './text-batch.ts'

export interface CorpusOptions extends DetectOptions {
  /** Threads that test texts; one per core by default. */
  readonly threads?: number
  /** URL of the module that exports the watermark, for one that does not ship with the package: threads import it. */
  readonly module?: string
  readonly signal?: AbortSignal
}

const MAX_THREADS = 1024

const stepsUrl = new URL(`./detect-batch${import.meta.url.slice(-3)}`, import.meta.url).href

/** Threads that test batches of texts, one each at a time. */
export class DetectPool implements CorpusPool {
  readonly #pool: ThreadPool
  /** Shared memory that no thread reads any more. */
  readonly #buffers: Int32Array[] = []

  constructor(threads: number = Math.max(1, workerCount())) {
    const size = integer('threads', threads, 1, MAX_THREADS)
    this.#pool = openPool(size, { steps: stepsUrl, resources: null })
  }

  get size(): number {
    return this.#pool.size
  }

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
    const buffer = joined(texts, (size) => this.#bufferFor(size))
    const skip = options.skip === undefined ? {} : { skip: [...options.skip] }
    const batch: TextBatch = {
      ...{ watermark: watermark.id, tokens: buffer, lengths, options: { ...rest, ...skip } },
      ...(module === undefined ? {} : { module }),
    }
    const cell = { step: 'batch', inputs: batch as unknown as Cell['inputs'] }
    const outcomes = await this.#pool.run({ cell, needs: () => [] }).catch((error: Error) => {
      texts.forEach(check) // by the name that it has here
      throw error
    })
    this.#buffers.push(buffer)
    return detectionsOf(watermark, options, outcomes as unknown as Float64Array)
  }

  /** Returns shared memory for this many tokens, used before where it is large enough. */
  #bufferFor(tokens: number): Int32Array {
    const known = this.#buffers.pop()
    return known !== undefined && known.length >= tokens
      ? known
      : new Int32Array(new SharedArrayBuffer(4 * Math.max(tokens, MAX_BATCH_TOKENS)))
  }

  /** Ends the threads at once; the batches they were testing fail with `error`. */
  close(error: Error = new Error('the detection was closed')): Promise<void> {
    return this.#pool.close(error)
  }
}

/** A batch, and the number of texts before it. */
interface Numbered {
  readonly first: number
  readonly texts: Tokens[]
}

async function* batches(texts: Iterable<Tokens> | AsyncIterable<Tokens>): AsyncGenerator<Numbered> {
  let batch: Numbered = { first: 0, texts: [] }
  let size = 0
  for await (const text of texts) {
    batch.texts.push(text)
    size += text?.length ?? 0
    if (!isFull(batch.texts.length, size)) continue
    yield batch
    batch = { first: batch.first + batch.texts.length, texts: [] }
    size = 0
  }
  if (batch.texts.length > 0) yield batch
}

/**
 * Tests the texts of a corpus on several threads: what `detectMany` finds, in the same order, without the scores per token. Reads no
 * further ahead than the threads need, so a corpus may be larger than memory.
 * @example
 * const texts = [1, 2, 3].map((i) => Array.from({ length: 100 }, (_, t) => (i * t * t) % 997))
 * const found = []
 * for await (const { detected } of detectCorpus(gumbel(), texts, { key: 'a long secret key', vocabSize: 50257 })) found.push(detected)
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
  const test = (batch: Numbered) =>
    pool.test(watermark, batch.texts, rest as DetectOptions, (i) => `texts[${batch.first + i}]`)
  try {
    for await (const { result } of inOrder(batches(texts), test, () => pool.size)) yield* result
  } finally {
    signal?.removeEventListener('abort', abort)
    await pool.close()
  }
}
