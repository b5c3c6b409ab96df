import { plain, type Recipe } from '../recipe.ts'

export const configRecipes: Recipe[] = [
  plain('config', 'defineConfig', () => [
    {
      keyFile: './key',
      watermark: 'gumbel',
      model: 'a/b',
      tokenizer: 'a/b',
      vocabSize: 9,
      data: 'p.jsonl',
      store: 's',
      models: ['a/b'],
      summarizer: 'a/b',
      translator: 'a/b',
      judge: 'a/b',
      encoder: 'a/b',
      paraphraser: 'a/b',
      dtype: 'q4',
      device: 'cuda',
      threads: 2,
    },
  ]),
]
