/** The entry `uwbench/stats`. */
import { distribution, plain, type Recipe, sample } from '../recipe.ts'

export const statsRecipes: Recipe[] = [
  plain('stats', 'auroc', () => [sample(), sample(), { confidence: 0.9 }]),
  plain('stats', 'binomialTest', () => [3, 10, 0.5, 'greater']),
  plain('stats', 'bootstrapInterval', () => [
    sample(),
    { random: { below: () => 0 }, confidence: 0.9, resamples: 100 },
  ]),
  plain('stats', 'chernoffInterval', () => [0.5, 10, 0.9]),
  plain('stats', 'clopperPearson', () => [3, 10, 0.9]),
  plain('stats', 'fisherTest', () => [3, 10, 4, 12]),
  plain('stats', 'kolmogorovTest', () => [sample(), 'greater']),
  plain('stats', 'log1mexp', () => [-1]),
  plain('stats', 'logBinomialTail', () => [3, 10, 0.5]),
  plain('stats', 'logChernoffTail', () => [2, [0.7, 0.9], 0.5, [2, 3]]),
  plain('stats', 'logChiSquareTail', () => [3, 2]),
  plain('stats', 'logDrawsTail', () => [1, [[1, 1], [1]], { sizes: [1], total: 2 }]),
  plain('stats', 'logGammaTail', () => [3, 2]),
  plain('stats', 'logLatticeTail', () => [[0.5, 0.5], 3, 4]),
  plain('stats', 'logNormalTail', () => [1]),
  plain('stats', 'logStudentTail', () => [1, 3]),
  plain('stats', 'logSumExp', () => [[-1, -2]]),
  plain('stats', 'logWeightedBernoulliTail', () => [4, [3, 2, 1], 0.5, [1, 2, 3]]),
  plain('stats', 'meanInterval', () => [sample(), 0.9]),
  plain('stats', 'median', () => [sample()]),
  plain('stats', 'midRanks', () => [sample()]),
  plain('stats', 'multinomialTest', () => [
    [3, 4, 5],
    [0.5, 0.25, 0.25],
  ]),
  plain('stats', 'normalQuantile', () => [0.9]),
  plain('stats', 'quantile', () => [sample(), 0.5]),
  plain('stats', 'quantileInterval', () => [sample(), 0.5, 0.5]),
  plain('stats', 'spearman', () => [sample(), sample(), { confidence: 0.9, permutations: 99 }]),
  plain('stats', 'superUniform', () => [sample(), { levels: [0.1], falseAlarm: 1e-3, miss: 0.1 }]),
  plain('stats', 'totalVariation', () => [distribution(), distribution()]),
]
