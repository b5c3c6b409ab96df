/** The entry `uwbench`. */
import * as core from '../../../src/index.ts'
import { detection, distribution, KEY, plain, type Recipe, tokens, uniform } from '../recipe.ts'

export const coreRecipes: Recipe[] = [
  plain('core', 'detect', () => [core.gumbel(), tokens(), detection()]),
  {
    name: 'core.detect (other detectors)',
    args: () => [tokens(), detection()],
    call: (text, options) =>
      [core.christ({ entropy: 1 }), core.expEdit({ keyLength: 8 }), core.unigram({ delta: 1 })].map((mark) =>
        core.detect<never>(mark as never, text, options),
      ),
  },
  plain('core', 'detectMany', () => [core.synthid({ layers: 3 }), [tokens(), tokens()], detection()]),
  {
    name: 'core.stream',
    args: () => [core.gumbel(), { key: KEY, vocabSize: 20, skip: [3] }, 4],
    call(mark, options, token) {
      const text = core.stream(mark, options)
      return [1, 2, token, 5].map((id) => text.push(id))
    },
  },
  plain('core', 'combine', () => [[{ logEValue: 1 }, { logPValue: -2 }], { dependence: 'independent' }]),
  plain('core', 'detectAny', () => [
    [core.gumbel(), core.synthid({ layers: 3 })],
    [KEY, Uint8Array.from({ length: 16 }, (_, i) => i)],
    tokens(),
    { vocabSize: 20, alpha: 0.01, skip: [3], end: 19, runs: 5 },
  ]),
  plain('core', 'detectRandomised', () => [core.synthid({ layers: 3 }), tokens(), detection()]),
  plain('core', 'windowDetector', () => [{ nullLaw: core.binomial(1 / 2), bound: 1, shortest: 8 }]),
  // the id alone: the result holds whatever else the given watermark does
  {
    name: 'core.withGoodnessOfFit',
    args: () => [core.gumbel()],
    call: (mark) => core.withGoodnessOfFit(mark).id,
  },
  {
    name: 'core.withMinimaxScore',
    args: () => [core.gumbel(), { delta: 0.05 }],
    call: (mark, options) => core.withMinimaxScore(mark, options).id,
  },
  {
    name: 'core.detectWithModel',
    args: () => [
      core.gumbel(),
      [1, 2, 3, 0, 2],
      { key: KEY, vocabSize: 4, skip: [3], probabilities: () => uniform() },
    ],
    call: (mark, text, options) => core.detectWithModel(mark, text, options),
  },
  plain('core', 'segments', () => [
    core.gumbel(),
    tokens(),
    { key: KEY, vocabSize: 20, skip: [3], alpha: 0.01 },
  ]),
  plain('core', 'embedder', () => [core.gumbel(), { key: KEY, vocabSize: 4, seed: 1, check: true }]),
  {
    name: 'core.embedder.reweight',
    args: () => [[1, 2, 3], uniform(), new Float64Array(4)],
    call: (text, p, q) =>
      core.embedder(core.gammaReweight(), { key: KEY, vocabSize: 4 }).reweight(text, p, q),
  },
  {
    name: 'core.embedder.drew',
    args: () => [1, 0.5],
    call: (token, p) => core.embedder(core.christ(), { key: KEY, vocabSize: 4 }).drew(token, p),
  },
  {
    name: 'core.watermarkProcessor',
    args: () => [
      core.gumbel(),
      { key: KEY, vocabSize: 3, seed: 1 },
      [[1, 2]],
      { dims: [1, 3], data: Float32Array.of(1, 2, 3) },
    ],
    call: (mark, options, ids, logits) => core.watermarkProcessor(mark, options)(ids, logits).dims,
  },
  plain('core', 'parseWatermark', () => ['kgw(delta=2)', []]),
  plain('core', 'ngram', () => [2, { repeated: 'skip', short: false }]),
  plain('core', 'pairDetector', () => [
    { nullLaw: core.binomial(0.5), bound: 1, weight: (count: number) => count },
  ]),
  plain('core', 'scanDetector', () => [{ nullLaw: core.exponential(), terms: () => 1 }]),
  plain('core', 'alignmentDetector', () => [
    { keyLength: 8, block: 4, penalty: 1, shiftLaw: core.exponential(), edits: true, enough: 5 },
  ]),
  {
    name: 'core.binomial',
    args: () => [0.5, { trials: 2 }, 10, 20, [1, 2]],
    call: (rate, options, sum, n, counts) => [
      core.binomial(rate, options).logTail(sum, n),
      core.binomial(rate, options).logTailOfCounts!(sum, counts),
    ],
  },
  {
    name: 'core.exponential',
    args: () => [{ terms: 2 }, 10, 20],
    call: (options, sum, n) => core.exponential(options).logTail(sum, n),
  },
  {
    name: 'core.lattice',
    args: () => [distribution(), 10, 20],
    call: (pmf, sum, n) => core.lattice(pmf).logTail(sum, n),
  },
  {
    name: 'core.weightedBits',
    args: () => [[3, 2, 1], { rate: 0.5 }, 10, 20],
    call: (weights, options, sum, n) => core.weightedBits(weights, options).logTail(sum, n),
  },
  plain('core', 'withoutReplacement', () => [[1, 1], 2]),
  plain('core', 'defineWatermark', () => [{ ...core.kgw({ delta: 2 }) }]),
]

export const parameterRecipes: Recipe[] = [
  {
    name: 'core.parameter.number',
    args: () => [0, 1, { default: 0.5 }],
    call: (...all) => (core.parameter.number as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.integer',
    args: () => [0, 9, { default: 5 }],
    call: (...all) => (core.parameter.integer as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.oneOf',
    args: () => [['a', 'b'], {}],
    call: (...all) => (core.parameter.oneOf as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.context',
    args: () => [() => core.ngram(2), {}],
    call: (...all) => (core.parameter.context as (...args: unknown[]) => unknown)(...all),
  },
]
