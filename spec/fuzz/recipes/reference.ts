/** The entry `uwbench/reference`. */
import * as core from '../../../src/index.ts'
import * as reference from '../../../src/watermarks/reference.ts'
import { plain, type Recipe } from '../recipe.ts'

export const referenceRecipes: Recipe[] = [
  plain('reference', 'synthidContexts', () => [{ ngramLength: 3, history: 8 }]),
  plain('reference', 'synthidSamplingTable', () => [16, 0]),
  plain('reference', 'toReferenceOutput', () => [
    { scored: 10, statistic: 6, pValue: 0.1, detected: false },
    core.kgw({ delta: 2 }),
    { vocabSize: 20, zThreshold: 3 },
  ]),
  {
    name: 'reference.TorchGenerator',
    args: () => [42, 5, 0, 10, 3],
    call: (seed, n, low, high, size) => {
      const generator = new reference.TorchGenerator(seed)
      return [generator.randperm(n), generator.randint(low, high, size), generator.rand(size)]
    },
  },
  plain('reference', 'vllmContexts', () => [{ width: 4, history: 100 }]),
  plain('reference', 'vllmKey', () => [42n]),
]
