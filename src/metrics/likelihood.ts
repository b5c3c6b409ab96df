import { integer, list, number, refuseUnknown, wrongType } from '../input.ts'
import type { LanguageModel } from '../models/language-model.ts'
import { type Metric, required, type Sample } from './metric.ts'

/**
 * How likely a model finds a text given its prompt: the mean log-likelihood of its tokens in nats, and perplexity, exp of its
 * negative. Neither is bounded by itself, so as metrics both are clipped where perplexity reaches a declared bound. A text
 * without tokens has no likelihood: it gets the worst value, so that emptiness is never rewarded.
 */

/**
 * Mean of log-likelihoods in nats; -Infinity where a token is impossible or there is none.
 *
 * @example meanLogLikelihood([-1, -3]) // -2
 */
export function meanLogLikelihood(logLikelihoods: ArrayLike<number>): number {
  list('logLikelihoods', logLikelihoods, 'a list of log-likelihoods')
  let sum = 0
  for (let i = 0; i < logLikelihoods.length; i++) {
    const value = number(`logLikelihoods[${i}]`, logLikelihoods[i], Number.NEGATIVE_INFINITY, 0)
    sum += value
  }
  return logLikelihoods.length === 0 ? -Infinity : sum / logLikelihoods.length
}

/**
 * exp(-mean log-likelihood).
 *
 * @example perplexityOf([Math.log(1 / 8), Math.log(1 / 2)]) // 4
 */
export const perplexityOf = (logLikelihoods: ArrayLike<number>): number =>
  Math.exp(-meanLogLikelihood(logLikelihoods))

export interface LikelihoodOptions {
  /** Perplexity is clipped here, mean log-likelihood at minus its logarithm. */
  readonly bound?: number
  /** How many texts the model gets at once. */
  readonly batch?: number
}

/** The options with their defaults, checked. */
function checked(model: LanguageModel, options: LikelihoodOptions): Required<LikelihoodOptions> {
  refuseUnknown('likelihood', options, ['bound', 'batch'])
  if (typeof model?.logLikelihood !== 'function') throw wrongType('model', 'a language model', model)
  const { bound = 1000, batch = 16 } = options
  return { bound: number('bound', bound, 1, Number.MAX_VALUE), batch: integer('batch', batch, 1) }
}

async function means(
  id: string,
  model: LanguageModel,
  samples: readonly Sample[],
  batch: number,
): Promise<Float64Array> {
  list('samples', samples, 'a list of samples')
  const tokens = required(id, samples, 'tokens')
  const result = new Float64Array(samples.length)
  for (let start = 0; start < samples.length; start += batch) {
    const rows = samples
      .slice(start, start + batch)
      .map((sample, i) => ({ prompt: sample.prompt ?? [], tokens: tokens[start + i]! }))
    const values = await model.logLikelihood(rows)
    values.forEach((row, i) => {
      result[start + i] = meanLogLikelihood(row)
    })
  }
  return result
}

/**
 * Perplexity of the generated tokens given the prompt, as a metric in [1, bound].
 * @example perplexity(markovModel()).id // 'perplexity(bound=1000)'
 */
export function perplexity(model: LanguageModel, options: LikelihoodOptions = {}): Metric {
  const { bound, batch } = checked(model, options)
  number('bound', bound, 1, Number.MAX_VALUE)
  const id = `perplexity(bound=${bound})`
  return {
    id,
    low: 1,
    high: bound,
    better: 'lower',
    needs: ['tokens'],
    score: async (samples) =>
      (await means(id, model, samples, batch)).map((mean) => Math.min(bound, Math.exp(-mean))),
  }
}

/**
 * Mean log-likelihood per token in nats given the prompt, as a metric in [-ln(bound), 0].
 * @example logLikelihood(markovModel()).low // -ln 1000 = -6.9078
 */
export function logLikelihood(model: LanguageModel, options: LikelihoodOptions = {}): Metric {
  const { bound, batch } = checked(model, options)
  const low = -Math.log(number('bound', bound, 1, Number.MAX_VALUE))
  const id = `log-likelihood(bound=${bound})`
  return {
    id,
    low,
    high: 0,
    better: 'higher',
    needs: ['tokens'],
    score: async (samples) => (await means(id, model, samples, batch)).map((mean) => Math.max(low, mean)),
  }
}
