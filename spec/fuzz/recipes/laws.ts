/** The entry `uwbench/laws`. */
import * as core from '../../../src/index.ts'
import * as laws from '../../../src/laws/index.ts'
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
  plain('laws', 'keySeed', () => []),
  plain('laws', 'weights', () => [{ ...alone, maxTokens: 6 }]),
  plain('laws', 'text', () => [{ vocabSize: 10, minLength: 1, maxLength: 5 }]),
  plain('laws', 'distributionOf', () => [{ shape: 'zipf', vocabSize: 3, exponent: 1, order: 0 }]),
  plain('laws', 'distributionRule', () => [{ minTokens: 2, maxTokens: 100, shrinksTo: 2 }]),
  plain('laws', 'toyModel', () => [3]),
  plain('laws', 'nextToken', () => [{ vocabSize: 2, rows: [[1, 3]] }, [0, 1]]),
  { name: 'laws.textsOf', args: () => [2, 2], call: (size, length) => drain(laws.textsOf(size, length)) },
  plain('laws', 'ledger', () => [laws.allLaws, 1e-9]),
  plain('laws', 'renderFailure', () => [
    { id: 'mine' },
    { law: 'detectable', verdict: 'fails', detail: 'no text was detected' },
  ]),
  plain('laws', 'renderVerdicts', () => [
    { id: 'mine' },
    [{ law: 'detectable', verdict: 'holds', detail: '' }],
  ]),
]
