import { outOfRange } from '../input.ts'
import { scratchP, scratchQ } from '../kernels/scratch.ts'
import { softmax } from '../kernels/softmax.ts'
import type { Watermark } from '../watermark.ts'
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

export interface ProcessorOptions extends Omit<EmbedderOptions, 'vocabSize' | 'check'> {
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
 * A watermark for `logits_processor` of `model.generate` in `@huggingface/transformers`. Make one per call of `generate`.
 *
 * That library applies temperature before a custom processor and its own `top_k` (50 by default) *after* it. Truncating after
 * the watermark is biased, so pass `top_k: 0`. It does not implement `top_p`.
 * @example
 * const processor = watermarkProcessor(gumbel(), { key: 'secret', seed: 1 })
 * // await model.generate({ ...inputs, do_sample: true, top_k: 0, logits_processor: [processor] })
 * const { data } = processor([[5, 7]], { dims: [1, 3], data: Float32Array.of(1, 2, 3) })
 * data.filter((logit) => logit > -Infinity).length // 1: gumbel leaves one token
 */
export function watermarkProcessor<Code>(
  watermark: Watermark<Code>,
  options: ProcessorOptions,
): LogitsProcessorFunction {
  const rows: Row[] = []
  const open = (index: number, vocabSize: number): Row => {
    const seed = options.seed === undefined ? undefined : `${options.seed}/${index}`
    const text = embedder(watermark, { key: options.key, vocabSize, seed, check: false })
    return { text, tokens: [], p: new Float64Array(vocabSize) }
  }
  return (inputIds, logits) => {
    const vocabSize = options.vocabSize ?? logits.dims.at(-1)!
    if (logits.dims.at(-1) !== vocabSize)
      throw outOfRange('vocabSize', `the width of the logits, ${logits.dims.at(-1)}`, vocabSize)
    for (const [index, ids] of inputIds.entries()) {
      const known = rows[index]
      const row = known ?? open(index, vocabSize)
      rows[index] = row
      if (known !== undefined && ids.length > row.tokens.length) {
        const drawn = Number(ids[row.tokens.length])
        row.text.drew(drawn, row.p[drawn]!)
      }
      for (let i = row.tokens.length; i < ids.length; i++) row.tokens.push(Number(ids[i]))
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
