/** What batches of texts have in common, wherever they are tested: checks before, detections after. */
import type { DetectOptions } from '../detect/detect.ts'
import { COLUMNS, detectMany, type TextDetection } from '../detect/detect-many.ts'
import { wrongType } from '../input.ts'
import type { Tokens } from '../keys/rule.ts'
import { madeBy } from '../method/define-method.ts'
import type { AnyWatermark } from '../watermarks/index.ts'

export interface BatchOptions extends DetectOptions {
  /** URL of the module that exports the watermark, for one that does not ship with the package. */
  readonly module?: string
}

/** Where batches of texts are tested: threads, or workers behind a queue. */
export interface CorpusPool {
  /** How many batches are tested at a time. */
  readonly size: number
  /** Tests texts; outcomes are in the order given. */
  test(watermark: AnyWatermark, texts: readonly Tokens[], options: BatchOptions): Promise<TextDetection[]>
  /** All batches are done: throws where some outcomes are in doubt. */
  finish?(): Promise<void>
  close(): Promise<void>
}

/** Checks the options of a batch, and warns of a short key. Returns those of `detect`. */
export function checkBatch(watermark: AnyWatermark, { module, ...options }: BatchOptions): DetectOptions {
  detectMany(watermark, [], options)
  if (module === undefined && !madeBy(watermark))
    throw wrongType('module', `the URL of the module that exports ${watermark.id}`, module)
  return options
}

/** The detections behind the columns of `outcomesOf`. */
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
