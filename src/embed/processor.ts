import { outOfRange } from '../input.ts'
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
  readonly p: Float64Array
}

/** Writes the softmax of `logits[from ..]` into p. */
function softmax(logits: ArrayLike<number>, from: number, p: Float64Array): void {
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < p.length; i++) if (logits[from + i]! > top) top = logits[from + i]!
  if (!Number.isFinite(top)) throw outOfRange('logits', 'at least one finite value and no NaN', top)
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += p[i] = Math.exp(logits[from + i]! - top)
  for (let i = 0; i < p.length; i++) p[i]! /= sum
}

/**
 * A watermark for `logits_processor` of `model.generate` in `@huggingface/transformers`. Make one per call of `generate`.
 *
 * That library applies temperature before a custom processor and its own `top_k` (50 by default) *after* it. Truncating after
 * the watermark is biased, so pass `top_k: 0`. It does not implement `top_p`.
 * @example
 * await model.generate({
 *   ...inputs, do_sample: true, top_k: 0,
 *   logits_processor: [watermarkProcessor(gumbel(), { key: 'secret' })],
 * })
 */
export function watermarkProcessor<Code>(
  watermark: Watermark<Code>,
  options: ProcessorOptions,
): LogitsProcessorFunction {
  const rows: Row[] = []
  const q: { buffer?: Float64Array } = {}
  const open = (index: number, vocabSize: number): Row => {
    const seed = options.seed === undefined ? undefined : `${options.seed}/${index}`
    const text = embedder(watermark, { key: options.key, vocabSize, seed, check: false })
    return { text, tokens: [], p: new Float64Array(vocabSize) }
  }
  return (inputIds, logits) => {
    const vocabSize = options.vocabSize ?? logits.dims.at(-1)!
    if (logits.dims.at(-1) !== vocabSize)
      throw outOfRange('vocabSize', `the width of the logits, ${logits.dims.at(-1)}`, vocabSize)
    q.buffer ??= new Float64Array(vocabSize)
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
      softmax(logits.data, from, row.p)
      if (!row.text.reweight(row.tokens, row.p, q.buffer)) continue
      for (let i = 0; i < vocabSize; i++) logits.data[from + i] = Math.log(q.buffer[i]!)
    }
    return logits
  }
}
