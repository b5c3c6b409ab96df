/** Null laws of one token's score; the tails of their sums are exact, in log space. */
import { integer, number, wrongType } from '../input.ts'
import { logBinomialTail } from '../stats/log-binomial-tail.ts'
import { logGammaTail } from '../stats/log-gamma-tail.ts'
import type { NullLaw } from './detector.ts'

/**
 * A score that counts successes: `trials` independent ones of probability `rate`. Sums are Binomial(n trials, rate).
 * @example binomial(1 / 2)                 // green or not
 * @example binomial(1 / 2, { trials: 20 }) // ones among 20 bits
 */
export function binomial(rate: number, options: { readonly trials?: number } = {}): NullLaw {
  number('rate', rate, 0, 1, true)
  const trials = integer('trials', options.trials ?? 1, 1)
  return {
    name: `binomial(${rate}${trials === 1 ? '' : `,trials=${trials}`})`,
    exact: true,
    mean: rate * trials,
    logTail: (sum, n) => logBinomialTail(Math.ceil(sum - 1e-9), n * trials, rate),
  }
}

/** A score that is a sum of `terms` standard exponentials (one by default). Sums are Gamma(n terms, 1). */
export function exponential(options: { readonly terms?: number } = {}): NullLaw {
  const terms = integer('terms', options.terms ?? 1, 1)
  return {
    name: terms === 1 ? 'exponential()' : `exponential(terms=${terms})`,
    exact: true,
    mean: terms,
    logTail: (sum, n) => logGammaTail(sum, n * terms),
  }
}

/** Resolves a law that depends on the vocabulary. */
export function lawFor(law: NullLaw | ((vocabSize: number) => NullLaw), vocabSize: number): NullLaw {
  const resolved = typeof law === 'function' ? law(vocabSize) : law
  if (typeof resolved?.logTail !== 'function')
    throw wrongType('nullLaw', 'a null law such as binomial(1 / 2)', resolved)
  return resolved
}
