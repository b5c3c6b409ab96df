/** The entry `uwbench/laws`. */

import * as laws from '../../../src/gate/laws/entry.ts'
import * as core from '../../../src/index.ts'
import { alone, drain, plain, type Recipe } from '../recipe.ts'

const LAW = 'reweight gives a distribution'

const allOfThem = (options: unknown): boolean =>
  Object.prototype.toString.call(options) === '[object Object]' &&
  (options as { laws?: unknown }).laws === undefined

export const lawRecipes: Recipe[] = [
  {
    name: 'laws.checkWatermark',
    args: () => [
      core.unwatermarked(),
      {
        falseAlarm: 0.01,
        bias: 0.1,
        miss: 0.1,
        seed: 1,
        path: '',
        runs: 3,
        effort: 'quick',
        laws: [LAW],
        signal: new AbortController().signal,
        onProgress: () => undefined,
      },
    ],
    // where no law is named all are checked, which takes a minute by design: there, one is named
    call: (mark, options = {}) =>
      laws.checkWatermark(mark, allOfThem(options) ? { ...options, laws: [LAW] } : options),
  },
  plain('laws', 'weights', () => [{ ...alone, maxTokens: 6 }]),
  plain('laws', 'text', () => [{ vocabSize: 10, minLength: 1, maxLength: 5 }]),
  plain('laws', 'distributionRule', () => [{ minTokens: 2, maxTokens: 100, shrinksTo: 2 }]),
  { name: 'laws.textsOf', args: () => [2, 2], call: (size, length) => drain(laws.textsOf(size, length)) },
]
