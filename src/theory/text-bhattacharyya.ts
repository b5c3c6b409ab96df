/**
 * The Bhattacharyya coefficient between the texts of a model and its watermarked texts under one key. The sum of sqrt(P Q) over
 * all texts is the expectation of prod Z_t when tokens are drawn in proportion to sqrt(p q), Z_t = sum sqrt(p q) being the
 * normalisers: every term lies in [0, 1] and varies far less than plain Monte Carlo's sqrt(Q/P).
 *
 * A rule with randomness of its own in each text (the offset into a key list) is taken as given that randomness.
 */
import { embedder } from '../core/embed/index.ts'
import type { Tokens } from '../core/keys/index.ts'
import { checkSeed, seededRandom } from '../core/keys/index.ts'
import type { Interval } from '../core/stats/index.ts'
import { chernoffInterval } from '../core/stats/index.ts'
import { integer, number, requireOptions } from '../input.ts'
import type { LanguageModel } from '../text/decode/index.ts'
import { requireModel } from '../text/decode/index.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import { checkWalk, drawFrom, walkTexts } from './text-walk.ts'

export interface TextBhattacharyyaOptions {
  readonly key: string | Uint8Array
  readonly prompt: Tokens
  /** Tokens of a text. */
  readonly length: number
  /** Texts to draw; default 200. */
  readonly texts?: number
  readonly confidence?: number
  readonly seed?: number | string
}

/** An estimate of the Bhattacharyya coefficient of texts, with its interval. */
export interface TextBhattacharyya extends Interval {
  readonly estimate: number
  readonly texts: number
}

/** The most texts that one estimate draws. */
const MAX_TEXTS = 1_000_000

/**
 * Returns an estimate with an interval that holds for every law of terms in [0, 1].
 * @example
 * const model = markovModel({ vocabSize: 16 })
 * const { estimate } = await textBhattacharyya(dipmark({ alpha: 0.4 }), model, { key: 'secret', prompt: [1], length: 20 })
 * estimate < 1 // true
 */
export async function textBhattacharyya<Code>(
  watermark: Watermark<Code>,
  model: LanguageModel,
  options: TextBhattacharyyaOptions,
): Promise<TextBhattacharyya> {
  requireWatermark(watermark)
  requireModel(model)
  requireOptions('textBhattacharyya', options, ['key', 'prompt', 'length', 'texts', 'confidence', 'seed'])
  const texts = integer('texts', options.texts ?? 200, 1, MAX_TEXTS)
  const confidence = number('confidence', options.confidence ?? 0.95, 0, 1, true)
  const { vocabSize } = model
  const { key, seed = 0 } = options
  checkSeed(seed)
  const { prompt, length } = checkWalk(model, 'prompt', options.prompt, options.length)
  const stream = seededRandom(seed, 'text bhattacharyya')
  const products = new Float64Array(texts).fill(1)
  const root = new Float64Array(vocabSize)
  await walkTexts(model, {
    prompt,
    count: texts,
    length,
    mark: () => embedder(watermark, { key, vocabSize, seed, check: false }),
    next(row, p, q) {
      let z = 0
      for (let i = 0; i < vocabSize; i++) {
        root[i] = Math.sqrt(p[i]! * q[i]!)
        z += root[i]!
      }
      products[row]! *= Math.min(1, z)
      return drawFrom(root, z, stream)
    },
  })
  const estimate = products.reduce((sum, x) => sum + x, 0) / texts
  return { estimate, texts, ...chernoffInterval(estimate, texts, confidence) }
}
