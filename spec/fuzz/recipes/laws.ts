/** The entry `uwbench/laws`. */
import * as core from '../../../src/index.ts'
import * as laws from '../../../src/laws/index.ts'
import { alone, drain, plain, type Recipe } from '../recipe.ts'

export const lawRecipes: Recipe[] = [
  plain(
    'laws',
    'checkWatermark',
    () => [
      core.unwatermarked(),
      { falseAlarm: 0.01, bias: 0.1, miss: 0.1, seed: 1, laws: ['reweight gives a distribution'] },
    ],
    { mayTakeLong: true },
  ),
  plain('laws', 'keySeed', () => []),
  plain('laws', 'weights', () => [{ ...alone, maxTokens: 6 }]),
  plain('laws', 'text', () => [{ vocabSize: 10, minLength: 1, maxLength: 5 }]),
  plain('laws', 'distribution', () => [{ shape: 'zipf', vocabSize: 3, exponent: 1, order: 0 }]),
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
