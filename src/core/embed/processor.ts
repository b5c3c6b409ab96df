import { integer, list, outOfRange, requireOptions } from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import { scratchP, scratchQ } from '../kernels/scratch.ts'
import { softmax } from '../kernels/softmax.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import { secretOf } from '../keys/schedule.ts'
import { checkSeed } from '../keys/stream.ts'
import { type Embedder, type EmbedderOptions, embedder } from './embedder.ts'

/** The part of a transformers.js tensor that is used: logits of shape [batch, vocabulary]. */
export interface LogitsTensor {
  readonly dims: readonly number[]
  readonly data: ArrayLike<number> & { [index: number]: number }
}

/** A function for `logits_processor` of `model.generate`. */
export type LogitsProcessorFunction = <T extends LogitsTensor>(
  inputIds: readonly (readonly (bigint | number)[])[],
  logits: T,
) => T

export interface ProcessorOptions extends Omit<EmbedderOptions, 'vocabSize' | 'prompt' | 'check'> {
  /** The width of the logits; by default what the first call shows. */
  readonly vocabSize?: number
}

/** One row of the batch: its text so far and its embedder. */
interface Row {
  readonly text: Embedder
  readonly tokens: number[]
  /** The distribution of the last step: the token drawn from it is known at the next one. */
  readonly p: Float64Array
}

/** Token ids of a row as numbers, each of them in the vocabulary. */
function rowTokens(index: number, ids: readonly (bigint | number)[], vocabSize: number): number[] {
  const name = `inputIds[${index}]`
  return Array.from(list<bigint | number>(name, ids, 'a list of token ids'), (id, i) =>
    integer(`${name}[${i}]`, typeof id === 'bigint' ? Number(id) : id, 0, vocabSize - 1),
  )
}

/** Returns whether the ids are those that the row saw, and one more. */
const continues = (row: Row, ids: readonly number[]): boolean =>
  ids.length === row.tokens.length + 1 && row.tokens.every((token, i) => token === ids[i])

/** The width of the logits, checked: rows of it, as many as there are texts. */
function widthOf(logits: LogitsTensor, rows: number): number {
  const dims = list<number>('logits.dims', logits?.dims, 'the sizes of a tensor [batch, vocabulary]')
  const width = integer('logits.dims', dims[dims.length - 1], 1, MAX_VOCAB)
  const data = list<number>('logits.data', logits.data, 'a list of logits')
  if (data.length !== rows * width)
    throw outOfRange('logits.data', `${rows} rows (inputIds) of ${width} logits`, `${data.length} of them`)
  return width
}

/** Writes the softmax of `logits[from ..]` into p. */
function rowSoftmax(logits: LogitsTensor['data'], from: number, p: Float64Array): void {
  const row =
    logits instanceof Float32Array
      ? logits.subarray(from, from + p.length)
      : Float64Array.from(p, (_, i) => logits[from + i]!)
  const sum = softmax(row, 1, p)
  if (!Number.isFinite(sum)) throw outOfRange('logits', 'a finite largest value and no NaN', row)
}

/**
 * A watermark for `logits_processor` of `model.generate` in `@huggingface/transformers`. A row of ids that does not
 * continue its text by one token begins another text, as a new processor would (with `seed`: with the same randomness of its own).
 *
 * That library applies temperature before a custom processor and its own `top_k` (50 by default) *after* it. Truncating after
 * the watermark is biased, so pass `top_k: 0`. It does not implement `top_p`.
 * @example
 * const processor = watermarkProcessor(gumbel(), { key: 'a long secret key', seed: 1 })
 * // await model.generate({ ...inputs, do_sample: true, top_k: 0, logits_processor: [processor] })
 * const { data } = processor([[0, 1]], { dims: [1, 3], data: Float32Array.of(1, 2, 3) })
 * data.filter((logit) => logit > -Infinity).length // 1: gumbel leaves one token
 */
export function watermarkProcessor<Code>(
  watermark: Watermark<Code>,
  options: ProcessorOptions,
): LogitsProcessorFunction {
  requireWatermark(watermark)
  requireOptions('watermarkProcessor', options, ['key', 'vocabSize', 'message', 'seed'])
  const { key, message, seed, vocabSize: expected } = options
  if (expected !== undefined) integer('vocabSize', expected, 1, MAX_VOCAB)
  if (seed !== undefined) checkSeed(seed)
  secretOf(watermark, key) // refuses a bad key before any text is written
  const rows: Row[] = []
  const open = (index: number, ids: readonly number[], vocabSize: number): Row => {
    const own = seed === undefined ? undefined : `${seed}/${index}`
    const text = embedder(watermark, { key, vocabSize, message, seed: own, check: false })
    return { text, tokens: [...ids], p: new Float64Array(vocabSize) }
  }
  /** The row as it stands before this step; one that does not continue its text begins another. */
  const rowFor = (index: number, ids: readonly number[], vocabSize: number): Row => {
    const row = rows[index]
    if (row === undefined || row.p.length !== vocabSize || !continues(row, ids)) {
      const fresh = open(index, ids, vocabSize)
      rows[index] = fresh
      return fresh
    }
    const drawn = ids.at(-1)!
    row.text.drew(drawn, row.p[drawn]!)
    row.tokens.push(drawn)
    return row
  }
  return (inputIds, logits) => {
    const texts = list<readonly (bigint | number)[]>('inputIds', inputIds, 'lists of token ids, one per text')
    const vocabSize = widthOf(logits, texts.length)
    if (expected !== undefined && expected !== vocabSize)
      throw outOfRange('vocabSize', `the width of the logits, ${vocabSize}`, expected)
    for (let index = 0; index < texts.length; index++) {
      const row = rowFor(index, rowTokens(index, texts[index]!, vocabSize), vocabSize)
      const from = index * vocabSize
      const p = scratchP(vocabSize)
      const q = scratchQ(vocabSize)
      rowSoftmax(logits.data, from, p)
      row.p.set(p)
      if (!row.text.reweight(row.tokens, p, q)) continue
      for (let i = 0; i < vocabSize; i++)
        logits.data[from + i] = q[i] === 0 ? Number.NEGATIVE_INFINITY : Math.log(q[i]!)
    }
    return logits
  }
}
