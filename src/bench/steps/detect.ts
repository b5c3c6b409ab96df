/** Tests texts for a watermark under the keys they were, or might have been, written with. */
import { detect } from '../../core/detect/index.ts'
import { defineStep } from '../cells/step.ts'
import { keyOf, type TestedTexts, type Texts } from './generate.ts'
import type { Resources } from './resources.ts'

export interface DetectInputs extends TestedTexts {
  /** The number of texts in a row that share a key. */
  readonly per: number
  /** The number of texts, from the first on. */
  readonly limit?: number
  /** Test the first n tokens of each text, for each n; `full` is always there. */
  readonly lengths: readonly number[]
  /** The most runs of a permutation test. */
  readonly runs?: number
}

export interface Detected {
  /** ln p of each text. */
  readonly full: readonly number[]
  /** ln p of each text's first n tokens, by n. */
  readonly cut: { readonly [length: string]: readonly number[] }
  /** Tokens that were scored. */
  readonly scored: readonly number[]
}

/** JSON has no infinities: a p-value of 0 would be a bug of the detector, and is one here. */
function finite(logPValue: number): number {
  if (!Number.isFinite(logPValue)) throw new Error(`the detector gave ln p = ${logPValue}`)
  return logPValue
}

export const detectStep = defineStep<DetectInputs, [Pick<Texts, 'texts'>], Detected, Resources>({
  module: import.meta.url,
  cost: ({ watermark, limit = 48 }) => limit * (/Edit/.test(watermark) ? 500 : 1),
  async run(inputs, [{ texts }], resources) {
    const { vocabSize, endTokens } = await resources.model(inputs.model)
    const watermark = await resources.watermark(inputs.watermark)
    const used = texts.slice(0, inputs.limit)
    const options = (i: number) => ({
      key: keyOf(inputs.keys, inputs.from + Math.floor(i / inputs.per)),
      vocabSize,
      skip: endTokens,
      ...(inputs.runs === undefined ? {} : { runs: inputs.runs }),
    })
    const whole = used.map((tokens, i) => detect(watermark, tokens, options(i)))
    const cut = inputs.lengths.map((n) => [
      String(n),
      used.map((tokens, i) => finite(detect(watermark, tokens.slice(0, n), options(i)).logPValue)),
    ])
    return {
      full: whole.map(({ logPValue }) => finite(logPValue)),
      scored: whole.map(({ scored }) => scored),
      cut: Object.fromEntries(cut) as Detected['cut'],
    }
  },
})
