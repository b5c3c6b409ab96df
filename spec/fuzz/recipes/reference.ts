/** The entry `uwbench/reference`. */
import * as core from '../../../src/index.ts'
import * as reference from '../../../src/reference/index.ts'
import { plain, type Recipe } from '../recipe.ts'

export const referenceRecipes: Recipe[] = [
  plain('reference', 'asPublished', () => [core.kgw({ delta: 2 }), 'huggingface']),
  plain('reference', 'expEditStatistic', () => [
    { key: 42, keyLength: 8, vocabSize: 20, tokens: [18, 0, 2], block: 3, gamma: 0 },
  ]),
  plain('reference', 'kgwGreenlist', () => [
    { vocabSize: 20, hashingKey: 15485863, ratio: 0.25, previous: 3 },
  ]),
  plain('reference', 'mcmarkChannelStart', () => [10, 4, 1]),
  plain('reference', 'mcmarkCode', () => [42, 5, 20]),
  plain('reference', 'mcmarkSeed', () => [{ privateKey: new Uint8Array(16), context: [31, 60] }]),
  plain('reference', 'mersennePermutation', () => [42, 4]),
  plain('reference', 'mersenneUniforms', () => [42, 4]),
  plain('reference', 'philoxWord', () => [{ key: 42n, context: [1, 2], token: 7 }]),
  plain('reference', 'publishedKey', () => [[654, 400n]]),
  plain('reference', 'sta1GreenSize', () => [5, 0.5]),
  plain('reference', 'synthidContextMask', () => [
    { flavor: 'google', keys: [1, 2], tokens: [1, 2, 3, 4, 5, 6], ngramLength: 3 },
  ]),
  plain('reference', 'synthidContexts', () => [{ ngramLength: 3, history: 8 }]),
  plain('reference', 'synthidGValues', () => [
    { flavor: 'google', keys: [1, 2], tokens: [1, 2, 3, 4, 5, 6], ngramLength: 3 },
  ]),
  plain('reference', 'synthidHashIv', () => [[1, 2]]),
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
  plain('reference', 'vllmSubkey', () => [0n, 'key_a']),
]
