/** Training of the Bayesian detector of SynthID on marked texts. */
import { scorer, skipping } from '../../core/detect/index.ts'
import type { Tokens } from '../../core/keys/index.ts'
import { checkTokens, MAX_VOCAB } from '../../core/keys/index.ts'
import { integer, iterable, requireOptions, text } from '../../input.ts'
import type { Watermark } from '../../watermark.ts'
import type { Bits } from '../mechanisms/bits.ts'
import { type BitTraining, MAX_RATE } from './bit-training.ts'
import { bitsOf } from './trained-score.ts'

/** A marked text to learn from. */
export interface MarkedText {
  readonly tokens: Tokens
  /** The key that it was marked with. */
  readonly key: string | Uint8Array
}

export interface TrainBitsOptions {
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /** The name of the training. Default 'own texts'. */
  readonly name?: string
  /** Ids that are never scored: special tokens. */
  readonly skip?: Iterable<number>
}

/** Adds the bits of a text's scored tokens to `ones`; returns how many tokens there were. */
function countOnes(
  watermark: Watermark<Bits>,
  { tokens, key }: MarkedText,
  vocabSize: number,
  skip: (token: number) => boolean,
  ones: Float64Array,
): number {
  const { codeOf } = scorer(watermark, key, vocabSize)
  let count = 0
  for (const [t, context] of watermark.context.scored(tokens, skip).entries()) {
    if (context === undefined || watermark.detector!.keyless?.(context)) continue
    const code = codeOf(context)
    const words = [code.random.uint32(tokens[t]!) ^ code.mask]
    for (const page of code.more ?? []) words.push(page.uint32(tokens[t]!))
    for (let layer = 0; layer < ones.length; layer++)
      ones[layer]! += (words[layer >>> 5]! >>> (layer & 31)) & 1
    count++
  }
  return count
}

/**
 * Learns from marked texts how often the bit of each layer is 1. Take texts of your own model, at your temperature, and others than those that you calibrate with. A layer whose
 * rate is not above 1/2 gets no weight.
 * @example
 * const texts = [{ tokens: [3, 1, 4, 1, 5, 9, 2, 6], key: 'a secret of sixteen bytes' }]
 * trainBits(synthid({ layers: 4 }), texts, { vocabSize: 10 }).tokens // 6
 */
export function trainBits(
  watermark: Watermark<Bits>,
  texts: Iterable<MarkedText>,
  options: TrainBitsOptions,
): BitTraining {
  const { layers } = bitsOf(watermark)
  requireOptions('trainBits', options, ['vocabSize', 'name', 'skip'])
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  const name = text('name', options.name ?? 'own texts', 200)
  const skip = skipping(options.skip)
  const ones = new Float64Array(layers)
  let [tokens, index] = [0, 0]
  for (const marked of iterable<MarkedText>('texts', texts, 'a list of marked texts')) {
    const label = `texts[${index++}]`
    requireOptions(label, marked, ['tokens', 'key'])
    checkTokens(marked.tokens, vocabSize, `${label}.tokens`)
    tokens += countOnes(watermark, marked, vocabSize, skip, ones)
  }
  // one 0 and one 1 are added to what was seen: few texts do not make a layer certain
  const rateOf = (count: number): number => (count + 1) / (tokens + 2)
  return {
    name,
    rates: Array.from(ones, (count) => Math.min(MAX_RATE, Math.max(1 / 2, rateOf(count)))),
    tokens,
  }
}
