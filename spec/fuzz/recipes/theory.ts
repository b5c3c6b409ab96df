/** The entry `uwbench/theory`. */
import * as core from '../../../src/index.ts'
import * as theory from '../../../src/theory/entry.ts'
import { distribution, drain, KEY, model, plain, type Recipe, uniform } from '../recipe.ts'

const adversary = () => ({ key: KEY, vocabSize: 4, alpha: 0.05, most: 1, kinds: ['deletion'] })
const generations = () => [
  [1, 3],
  [0, 0],
]

const training = () => ({ name: 'two layers', rates: [0.7, 0.6], tokens: 100 })

export const theoryRecipes: Recipe[] = [
  {
    name: 'theory.allEdits',
    args: () => [[1, 2], [1, 2], ['substitution']],
    call: (text, replacements, kinds) => drain(theory.allEdits(text, replacements, kinds)),
  },
  plain('theory', 'beamAttack', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { ...adversary(), width: 1, candidates: 2, seed: 1 },
  ]),
  {
    name: 'theory.detectWeighted',
    args: () => [
      core.gumbel(),
      [1, 2, 3, 0, 2],
      { key: KEY, vocabSize: 4, skip: [3], probabilities: () => uniform(), weight: 'surprisal' },
    ],
    call: (mark, text, options) => theory.detectWeighted(mark, text, options),
  },
  plain('theory', 'trainBits', () => [
    core.synthid({ layers: 4 }),
    [{ tokens: [1, 2, 3, 0, 2], key: KEY }],
    { vocabSize: 4, name: 'few', skip: [3] },
  ]),
  {
    name: 'theory.withTrainedScore',
    args: () => [core.synthid({ layers: 2 }), training()],
    call: (mark, training) => theory.withTrainedScore(mark, training).id,
  },
  plain('theory', 'calibrate', () => [
    training(),
    [{ statistic: 60, scored: 2 }],
    [{ statistic: 0, scored: 2 }],
  ]),
  plain('theory', 'posterior', () => [
    training(),
    { statistic: 60, scored: 2 },
    { prior: 0.1, confidence: 0.9 },
  ]),
  plain('theory', 'exhaustiveAttack', () => [core.kgw({ delta: 2 }), [1, 2, 3, 1, 0], adversary()]),
  plain('theory', 'certificateLaw', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    [{ kind: 'deletion', at: 1 }],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'reachLaw', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { kind: 'deletion', at: 1 },
    { skip: [] },
  ]),
  plain('theory', 'certifiedDecisionRadius', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'certifiedScoreRadius', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'promptMeans', () => [generations(), 'values']),
  plain('theory', 'spmgTest', () => [
    generations(),
    generations(),
    generations(),
    { exchange: 'generation', runs: 50, enumerate: 100, seed: 1 },
  ]),
  plain('theory', 'spmgThreshold', () => [
    { generations: 10, prompts: 5, bound: 1, alpha: 0.05, form: 'sharp' },
  ]),
  plain('theory', 'spmgQueries', () => [
    { prompts: 5, bound: 1, drift: 0.1, deviation: 0.5, alpha: 0.05, power: 0.8 },
  ]),
  plain('theory', 'spmgTailBound', () => [0.1, { generations: 10, prompts: 5, bound: 1, form: 'sharp' }]),
  plain('theory', 'detectionPower', () => [
    theory.scoreLaw(core.sta1(), uniform(2)),
    core.binomial(0.5),
    50,
    0.01,
    'low',
  ]),
  plain('theory', 'likelihoodBound', () => [core.sta1(), uniform(2), 0.1, 0.5, { keys: 10, seed: 1 }]),
  plain('theory', 'tokensNeeded', () => [core.sta1(), uniform(2), 0.1, 0.5, { keys: 10, seed: 1 }]),
  plain('theory', 'scoreLaw', () => [core.sta1(), uniform(2), { keys: 10, seed: 1 }]),
  plain('theory', 'stepLaw', () => [core.sta1(), uniform(2), { keys: 10, seed: 1 }]),
  plain('theory', 'queryBudget', () => [
    core.sta1(),
    uniform(2),
    { observer: 'informed', distance: 0.5, keys: 10, seed: 1 },
  ]),
  plain('theory', 'scoresChanged', () => [core.ngram(1), [1, 2, 3], [1, 9, 3], () => false]),
  plain('theory', 'expectedDrop', () => [{ mean: 1, nullMean: 0.5, n: 2, edit: 'substitution' }]),
  ...(
    [
      ['sta1', 0.5],
      ['synthid', 2],
      ['gumbel'],
      ['christ'],
      ['tilt', 2, 0.5],
      ['mcmark', 4],
      ['dipmark', 0.4],
    ] as const
  ).map(
    ([method, ...more]): Recipe => ({
      name: `theory.expectedScores.${method}`,
      args: () => [distribution(), ...more],
      call: (...all) => (theory.expectedScores[method] as (...given: unknown[]) => number)(...all),
    }),
  ),
  plain('theory', 'textBhattacharyya', () => [
    core.gumbel(),
    model(),
    { key: KEY, prompt: [1], length: 3, texts: 5, confidence: 0.9, seed: 1 },
  ]),
  plain('theory', 'textQueryBudget', () => [
    core.gumbel(),
    model(),
    { prompts: [[1]], length: 3, alpha: 0.1, power: 0.1, trials: 2, most: 2, confidence: 0.5, seed: 1 },
  ]),
]
