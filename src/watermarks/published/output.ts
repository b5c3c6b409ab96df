import type { Detection } from '../../core/detect/index.ts'
import { lawFor } from '../../core/detect/index.ts'
import { integer, number, requireOptions, wrongType } from '../../input.ts'
import type { Detector } from '../../watermark.ts'

/** The result of `WatermarkDetector` of Hugging Face Transformers for one text. */
export interface ReferenceOutput {
  readonly num_tokens_scored: number
  readonly num_green_tokens: number
  readonly green_fraction: number
  readonly z_score: number
  readonly p_value: number
  readonly prediction: boolean
}

export interface ReferenceOutputOptions {
  /** The width of the model's logits, as given to `detect`: the rate of green tokens may depend on it. */
  readonly vocabSize: number
  /** Decide by z_score > zThreshold, as Transformers does (its default is 3). Without it: p-value at most `alpha` of `detect`. */
  readonly zThreshold?: number
}

/**
 * A detection of a green-list method (one whose score is 0 or 1) in the shape users of Transformers know. The z-score
 * is against the true rate of green tokens; the p-value is the guaranteed one of `detect`, not the normal approximation.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * const mark = kgw({ delta: 2, codes: 'reference' })
 * const d = detect(mark, tokens, { key: '15485863', vocabSize: 1000 })
 * toReferenceOutput(d, mark, { vocabSize: 1000 }).num_tokens_scored // 98: all but the first, and the one after token 0
 */
export function toReferenceOutput(
  detection: Detection,
  watermark: { readonly id: string; readonly detector: Detector | undefined },
  options: ReferenceOutputOptions,
): ReferenceOutput {
  requireOptions('toReferenceOutput', options, ['vocabSize', 'zThreshold'])
  const vocabSize = integer('vocabSize', options.vocabSize, 1)
  if (typeof watermark !== 'object' || watermark === null)
    throw wrongType('watermark', 'a watermark such as kgw({ delta: 2 })', watermark)
  const { detector } = watermark
  if (detector?.bound !== 1 || detector.nullLaw === undefined)
    throw new TypeError(`${watermark.id}: expected a green-list method, whose scores are 0 or 1`)
  const rate = lawFor(detector.nullLaw, vocabSize).mean
  if (typeof detection !== 'object' || detection === null)
    throw wrongType('detection', 'what detect returns', detection)
  const scored = integer('detection.scored', detection.scored, 0)
  const statistic = number('detection.statistic', detection.statistic, 0, scored)
  // 0 / 0 for a text without a scored token: no evidence
  const z = scored === 0 ? 0 : (statistic - rate * scored) / Math.sqrt(scored * rate * (1 - rate))
  return {
    num_tokens_scored: scored,
    num_green_tokens: statistic,
    green_fraction: scored === 0 ? 0 : statistic / scored,
    z_score: z,
    p_value: number('detection.pValue', detection.pValue, 0, 1),
    prediction:
      options.zThreshold === undefined
        ? detection.detected
        : z > number('zThreshold', options.zThreshold, -Number.MAX_VALUE, Number.MAX_VALUE),
  }
}
