/** The entry `uwbench/stats`. */
import { plain, type Recipe, sample } from '../recipe.ts'

export const statsRecipes: Recipe[] = [
  plain('stats', 'auroc', () => [sample(), sample(), { confidence: 0.9 }]),
  plain('stats', 'bootstrapInterval', () => [
    sample(),
    { random: { below: () => 0 }, confidence: 0.9, resamples: 100 },
  ]),
  plain('stats', 'logChernoffTail', () => [2, [0.7, 0.9], 0.5, [2, 3]]),
  plain('stats', 'logWeightedBernoulliTail', () => [4, [3, 2, 1], 0.5, [1, 2, 3]]),
  plain('stats', 'meanInterval', () => [sample(), 0.9]),
  plain('stats', 'spearman', () => [sample(), sample(), { confidence: 0.9, permutations: 99 }]),
  plain('stats', 'superUniform', () => [sample(), { levels: [0.1], falseAlarm: 1e-3, miss: 0.1 }]),
]
