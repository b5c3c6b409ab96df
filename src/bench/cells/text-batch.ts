/** Batches of texts, wherever they are tested: their size and order, checks before, detections after. */
import type { DetectOptions } from '../../core/detect/index.ts'
import { COLUMNS, detectMany, type TextDetection } from '../../core/detect/index.ts'
import type { Tokens } from '../../core/keys/index.ts'
import { madeBy } from '../../core/method/index.ts'
import { wrongType } from '../../input.ts'
import { type AnyWatermark, shippedMethods } from '../../watermarks/index.ts'

export interface BatchOptions extends DetectOptions {
  /** URL of the module that exports the watermark, for one that does not ship with the package. */
  readonly module?: string
}

/** Tests batches of texts: threads, or workers behind a queue. */
export interface CorpusPool {
  /** The number of batches that are tested at a time. */
  readonly size: number
  /** Tests texts; outcomes are in the order given. */
  test(watermark: AnyWatermark, texts: readonly Tokens[], options: BatchOptions): Promise<TextDetection[]>
  /** All batches are done: throws where some outcomes are in doubt. */
  finish?(): Promise<void>
  close(): Promise<void>
}

/** Texts and tokens of a batch: enough to make the message to a thread cheap, few enough to keep all threads busy. */
const MAX_BATCH = 256
export const MAX_BATCH_TOKENS = 2 ** 17

/** Returns whether a batch of this many texts and tokens takes no more. */
export const isFull = (texts: number, tokens: number): boolean =>
  texts >= MAX_BATCH || tokens >= MAX_BATCH_TOKENS

/** Starts `test` on each batch as it is read, up to two for each of `threads()`, and yields the results in the order of the batches. */
export async function* inOrder<Batch, Result>(
  batches: AsyncIterable<Batch>,
  test: (batch: Batch) => Promise<Result>,
  threads: () => number,
): AsyncGenerator<{ readonly batch: Batch; readonly result: Result }> {
  const running: { batch: Batch; result: Promise<Result> }[] = []
  const oldest = async () => {
    const { batch, result } = running.shift()!
    return { batch, result: await result }
  }
  for await (const batch of batches) {
    const result = test(batch)
    result.catch(() => {}) // thrown when its turn comes
    running.push({ batch, result })
    while (running.length >= Math.max(1, 2 * threads())) yield await oldest()
  }
  while (running.length > 0) yield await oldest()
}

/** Writes texts one after the other into the memory that `allocate` gives for their size. */
export function joined(texts: readonly Tokens[], allocate: (size: number) => Int32Array): Int32Array {
  const tokens = allocate(texts.reduce((sum, text) => sum + text.length, 0))
  let at = 0
  for (const text of texts) {
    tokens.set(text, at)
    at += text.length
  }
  return tokens
}

/** Checks the options of a batch, and warns of a short key. Returns those of `detect`. */
export function checkBatch(watermark: AnyWatermark, { module, ...options }: BatchOptions): DetectOptions {
  detectMany(watermark, [], options)
  const name = madeBy(watermark)?.method.name
  if (module === undefined && !shippedMethods().some((method) => method.name === name))
    throw wrongType('module', `the URL of the module that exports ${watermark.id}`, module)
  return options
}

/** Returns the detections behind the columns of `outcomesOf`. */
export function detectionsOf(
  { detector }: AnyWatermark,
  { alpha = 0.01 }: DetectOptions,
  outcomes: ArrayLike<number>,
): TextDetection[] {
  const logAlpha = Math.log(alpha)
  const guaranteed = detector?.guaranteed ?? true
  return Array.from({ length: outcomes.length / COLUMNS }, (_, i) => {
    const logPValue = outcomes[COLUMNS * i + 1]!
    return {
      statistic: outcomes[COLUMNS * i]!,
      logPValue,
      pValue: Math.exp(logPValue),
      scored: outcomes[COLUMNS * i + 2]!,
      guaranteed,
      detected: logPValue <= logAlpha,
    }
  })
}
