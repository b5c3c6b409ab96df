/** Texts to look at: the first of a set in words, each token with the shade of its score. */
import { detect, meanScore, pieces, strength } from '../../core/detect/index.ts'
// the model comes from the resources; its code is part of this step's
import '../../text/models/index.ts'
import type { LanguageModel } from '../../text/models/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { defineStep } from '../cells/step.ts'
import { shadeOf } from '../report/samples.ts'
import { type GenerateInputs, keyOf, type TestedTexts, type Texts } from './generate.ts'
import type { Resources } from './resources.ts'

export interface SampleInputs extends TestedTexts {
  readonly data: GenerateInputs['data']
  readonly limit: number
}

export interface Sampled {
  readonly samples: readonly {
    readonly prompt: string
    readonly text: string
    readonly lengths: string
    readonly shades: string
  }[]
}

/** Scores of a text's tokens; NaN throughout where a test has none of single tokens. */
function scoresOf(watermark: AnyWatermark, tokens: readonly number[], model: LanguageModel, key: string) {
  const { vocabSize, endTokens } = model
  if (watermark.detector?.id === 'alignment') return new Float64Array(tokens.length).fill(Number.NaN)
  return detect(watermark, tokens, { key, vocabSize, skip: endTokens }).perToken
}

export const sampleStep = defineStep<SampleInputs, [Pick<Texts, 'texts'>], Sampled, Resources>({
  module: import.meta.url,
  cost: ({ limit }) => limit,
  async run(inputs, [{ texts }], resources) {
    const model = await resources.model(inputs.model)
    const { examples } = await resources.data(inputs.data.name, inputs.data.limit)
    const watermark = await resources.watermark(inputs.watermark)
    const { decode } = model.tokenizer
    const samples = texts.slice(0, inputs.limit).map((tokens, i) => {
      const prompt = inputs.from + i
      const list = pieces(tokens, scoresOf(watermark, tokens, model, keyOf(inputs.keys, prompt)), decode)
      const share = strength(list, meanScore(watermark, model.vocabSize))
      return {
        prompt: examples[prompt]!.prompt,
        text: list.map(({ text }) => text).join(''),
        lengths: list.map(({ text }) => text.length).join(' '),
        shades: list.map(({ score }) => shadeOf(Number.isNaN(score) ? undefined : share(score))).join(''),
      }
    })
    return { samples }
  },
})
