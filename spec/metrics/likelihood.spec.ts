import { expect, test } from 'vitest'
import type { Continuation, LanguageModel } from '../../src/text/decode/language-model.ts'
import {
  logLikelihood,
  meanLogLikelihood,
  perplexity,
  perplexityOf,
} from '../../src/text/metrics/likelihood.ts'

/** Token t has probability 2^-t after an empty prompt, half of that otherwise; token 99 is impossible. */
const batches: number[] = []
const model = {
  logLikelihood: async (texts: readonly Continuation[]) => {
    batches.push(texts.length)
    return texts.map(({ prompt, tokens }) =>
      Float64Array.from(tokens, (t) => (t === 99 ? -Infinity : -Math.LN2 * (t + Math.min(1, prompt.length)))),
    )
  },
} as unknown as LanguageModel

test('perplexity is the geometric mean of the inverse probabilities', () => {
  expect(perplexityOf([Math.log(1 / 8), Math.log(1 / 2)])).toBeCloseTo(4, 12)
  expect(perplexityOf(new Float64Array(7))).toBe(1)
  expect(meanLogLikelihood([-1, -3])).toBe(-2)
})

test('a log-likelihood above 0 or NaN is an error, not a number', () => {
  expect(() => meanLogLikelihood([-1, Number.NaN])).toThrow(
    'logLikelihoods[1]: expected a number in [-Infinity, 0], got NaN',
  )
  expect(() => meanLogLikelihood([0.5])).toThrow('logLikelihoods[0]')
})

test('as metrics: given the prompt, clipped at the bound, worst for impossible and empty texts', async () => {
  const samples = [
    { text: '', tokens: [1, 3] },
    { text: '', tokens: [1, 3], prompt: [5] },
    { text: '', tokens: [40] },
    { text: '', tokens: [1, 99] },
    { text: '', tokens: [] },
  ]
  const metric = perplexity(model, { bound: 100, batch: 2 })
  batches.length = 0
  const values = await metric.score(samples)
  expect(batches).toEqual([2, 2, 1])
  expect(values[0]).toBeCloseTo(4, 12)
  expect(values[1]).toBeCloseTo(8, 12)
  expect(Array.from(values.subarray(2))).toEqual([100, 100, 100])
  expect([metric.id, metric.low, metric.high, metric.better]).toEqual([
    'perplexity(bound=100)',
    1,
    100,
    'lower',
  ])

  const nats = logLikelihood(model, { bound: 100 })
  const means = await nats.score(samples)
  expect(means[0]).toBeCloseTo(-2 * Math.LN2, 12)
  expect(Array.from(means.subarray(2))).toEqual([nats.low, nats.low, nats.low])
  expect(nats.low).toBe(-Math.log(100))
})

test('errors name what is missing', async () => {
  await expect(perplexity(model).score([{ text: 'a' }])).rejects.toThrow(
    'perplexity(bound=1000): samples[0] has no tokens',
  )
  expect(() => perplexity(model, { bound: 0 })).toThrow('bound: expected a number in [1,')
})
