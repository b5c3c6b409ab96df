/** The entry `uwbench/models`. */
import * as core from '../../../src/index.ts'
import * as models from '../../../src/text/models/entry.ts'
import { KEY, model, plain, type Recipe } from '../recipe.ts'

export const modelRecipes: Recipe[] = [
  plain('models', 'markovModel', () => [{ vocabSize: 8, order: 1, entropy: 1, seed: 1 }]),
  plain('models', 'ngramModel', () => ['the cat sat on the mat', { order: 2, smoothing: 1 }]),
  plain('models', 'generate', () => [
    model(),
    [1, 2],
    {
      watermark: core.gumbel(),
      key: KEY,
      maxNewTokens: 5,
      stopTokens: [],
      seed: 1,
      batchSize: 2,
      temperature: 1,
      topK: 0,
      topP: 1,
      count: 2,
      first: 0,
    },
  ]),
  plain('models', 'generateMany', () => [
    model(),
    [{ prompt: [1], key: KEY, seed: 1, index: 0, watermark: core.gumbel() }],
    { maxNewTokens: 5, batchSize: 2 },
  ]),
  {
    name: 'models.warper',
    args: () => [{ temperature: 0.5, topK: 2, topP: 0.9 }],
    call: (options) => models.warper(options)(Float32Array.of(0, 1, 2), 0, new Float64Array(3)),
  },
]
