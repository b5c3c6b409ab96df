/** The entry `uwbench/metrics`. */
import * as metrics from '../../../src/text/metrics/entry.ts'
import { model, plain, type Recipe } from '../recipe.ts'

/** Letters are tokens, each with a vector of two numbers. */
const encoder = () => ({
  id: 'letters',
  width: 2,
  tokenizer: {
    encode: (text: string) => Array.from(text.slice(0, 100), (letter) => letter.charCodeAt(0)),
    encodePrompt: () => [],
    decode: () => '',
  },
  hiddenStates: async (texts: readonly (readonly number[])[]) =>
    texts.map((letters) => Float32Array.from(letters.flatMap((letter) => [letter, 1]))),
})

export const metricRecipes: Recipe[] = [
  plain('metrics', 'bertScore', () => [
    encoder(),
    ['a cat'],
    ['the cat'],
    { idf: true, baseline: 0.5, batch: 2 },
  ]),
  {
    name: 'metrics.bertScoreMetric',
    args: () => [
      encoder(),
      { part: 'recall', idf: true, baseline: { precision: 0, recall: 0, f1: 0 }, batch: 2 },
      [{ text: 'a cat', reference: 'the cat' }],
    ],
    call: (of, options, samples) => metrics.bertScoreMetric(of, options).score(samples),
  },
  plain('metrics', 'bleu', () => [{ tokenize: '13a', lowercase: true, smoothing: 'exp' }]),
  ...(['bleu', 'rouge'] as const).map(
    (name): Recipe => ({
      name: `metrics.${name} (samples)`,
      args: () => [[{ text: 'the cat sat', reference: 'the cat' }]],
      call: async (samples) => {
        const metric = name === 'bleu' ? metrics.bleu() : metrics.rouge(1)
        return [await metric.score(samples), await metric.corpus?.(samples)]
      },
    }),
  ),
  ...(['distinct', 'repetition'] as const).map(
    (name): Recipe => ({
      name: `metrics.${name} (samples)`,
      args: () => [[{ text: 'the cat sat', tokens: [1, 2, 1, 2] }]],
      call: (samples) => (name === 'distinct' ? metrics.distinct(2) : metrics.repetition(2)).score(samples),
    }),
  ),
  plain('metrics', 'corpusBleu', () => [['the cat sat'], [['the cat']], { maxOrder: 2 }]),
  plain('metrics', 'sentenceBleu', () => ['the cat sat', ['the cat'], {}]),
  plain('metrics', 'distinct', () => [2]),
  plain('metrics', 'repetition', () => [2]),
  {
    name: 'metrics.perplexity',
    args: () => [model(), { bound: 100, batch: 2 }, [{ text: '', tokens: [1, 2], prompt: [3] }]],
    call: (of, options, samples) => metrics.perplexity(of, options).score(samples),
  },
  {
    name: 'metrics.logLikelihood',
    args: () => [model(), { bound: 100, batch: 2 }, [{ text: '', tokens: [1, 2], prompt: [3] }]],
    call: (of, options, samples) => metrics.logLikelihood(of, options).score(samples),
  },
  plain('metrics', 'rouge', () => [1, { stem: true }]),
  plain('metrics', 'rougeL', () => ['the cat', 'the cat sat', { stem: true }]),
  plain('metrics', 'rougeLsum', () => ['the cat', 'the cat sat', {}]),
  plain('metrics', 'rougeN', () => ['the cat', 'the cat sat', 2, {}]),
]
