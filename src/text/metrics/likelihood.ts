import { integer, iterable, list, number, refuseUnknown, wrongType } from '../../input.ts'
import type { LanguageModel } from '../decode/language-model.ts'
import { type Metric, required } from './metric.ts'

/**
 * The likelihood of a text given its prompt: the mean log-likelihood of its tokens in nats, and perplexity, exp of its
 * negative. Neither is bounded by itself, so as metrics both are clipped where perplexity reaches a declared bound. A text
 * without tokens has no likelihood: it gets the worst value, so that emptiness is never rewarded.
 */

/**
 * Returns the mean of log-likelihoods in nats; -Infinity where a token is impossible or the list is empty.
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
 * Computes exp(-mean log-likelihood).
 *
 * @example perplexityOf([Math.log(1 / 8), Math.log(1 / 2)]) // 4
 */
export const perplexityOf = (logLikelihoods: ArrayLike<number>): number =>
  Math.exp(-meanLogLikelihood(logLikelihoods))

export interface LikelihoodOptions {
  /** Perplexity is clipped here, mean log-likelihood at minus its logarithm. */
  readonly bound?: number
  /** Texts that the model gets at once. */
  readonly batch?: number
}

/** Makes a metric of the mean log-likelihood of texts; `range` gives it its id, its interval and its values. */
function likelihoodMetric(
  model: LanguageModel,
  options: LikelihoodOptions,
  range: (bound: number) => Omit<Metric, 'needs' | 'score'> & { readonly value: (mean: number) => number },
): Metric {
  refuseUnknown('likelihood', options, ['bound', 'batch'])
  if (typeof model?.logLikelihood !== 'function') throw wrongType('model', 'a language model', model)
  const batch = integer('batch', options.batch ?? 16, 1)
  const { value, ...metric } = range(number('bound', options.bound ?? 1000, 1, Number.MAX_VALUE))
  return {
    ...metric,
    needs: ['tokens'],
    async score(samples) {
      const tokens = required(metric.id, samples, 'tokens')
      const texts = tokens.map((own, i) => ({ prompt: samples[i]!.prompt ?? [], tokens: own }))
      const result: number[] = []
      for (let start = 0; start < texts.length; start += batch) {
        const rows: unknown = await model.logLikelihood(texts.slice(start, start + batch))
        for (const row of iterable<Float64Array>('model.logLikelihood', rows, 'a list of log-likelihoods'))
          result.push(value(meanLogLikelihood(row)))
      }
      return Float64Array.from(result)
    },
  }
}

/**
 * Returns the perplexity of the generated tokens given the prompt, as a metric in [1, bound].
 * @example perplexity(markovModel()).id // 'perplexity(bound=1000)'
 */
export const perplexity = (model: LanguageModel, options: LikelihoodOptions = {}): Metric =>
  likelihoodMetric(model, options, (bound) => ({
    id: `perplexity(bound=${bound})`,
    low: 1,
    high: bound,
    better: 'lower',
    value: (mean) => Math.min(bound, Math.exp(-mean)),
  }))

/**
 * Returns the mean log-likelihood per token in nats given the prompt, as a metric in [-ln(bound), 0].
 * @example logLikelihood(markovModel()).low // -ln 1000 = -6.9078
 */
export const logLikelihood = (model: LanguageModel, options: LikelihoodOptions = {}): Metric =>
  likelihoodMetric(model, options, (bound) => ({
    id: `log-likelihood(bound=${bound})`,
    low: -Math.log(bound),
    high: 0,
    better: 'higher',
    value: (mean) => Math.max(-Math.log(bound), mean),
  }))
