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
    },
  ]),
]
