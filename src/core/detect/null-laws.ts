/** Null laws of one token's score; the tails of their sums are exact, in log space. */
import { integer, number, outOfRange, refuseUnknown, wrongType } from '../../input.ts'
import type { NullLaw } from '../../watermark.ts'
import { logBinomialTail } from '../stats/log-binomial-tail.ts'
import { drawRate, logDrawsTail } from '../stats/log-draws-tail.ts'
import { logGammaTail } from '../stats/log-gamma-tail.ts'
import { logSumExp } from '../stats/log-sum-exp.ts'
import { realValues } from '../stats/real-values.ts'
import {
  latticeTails,
  logChernoffTail,
  logWeightedBernoulliTail,
  weightedTails,
} from '../stats/sums/index.ts'
import { contextCounts } from './pair-counts.ts'

/** The largest score of weighted bits: the tails of whole weights list every score. */
const MAX_WEIGHT = 10_000

/** The most scores whose sum has a tail: texts are shorter. */
const MAX_SCORES = 2 ** 27

/** ln E e^(tilt X) for X = 1 with probability `rate`, else 0. */
const logBitMgf = (rate: number, tilt: number): number =>
  tilt < 30 ? Math.log1p(rate * Math.expm1(tilt)) : tilt + Math.log(rate + (1 - rate) * Math.exp(-tilt))

/**
 * A score that counts successes: `trials` independent ones of probability `rate`. Sums are Binomial(n trials, rate).
 * @example binomial(1 / 2).logTail(300, 500) // green or not: ln 4.47e-6 = -12.318
 * @example binomial(1 / 2, { trials: 20 }).mean // 10: ones among 20 bits
 */
export function binomial(rate: number, options: { readonly trials?: number } = {}): NullLaw {
  refuseUnknown('binomial', options, ['trials'])
  number('rate', rate, 0, 1, true)
  const trials = integer('trials', options.trials ?? 1, 1, 2 ** 20)
  return {
    name: `binomial(${rate}${trials === 1 ? '' : `,trials=${trials}`})`,
    exact: true,
    mean: rate * trials,
    step: 1,
    logTail: checkedTail((sum, n) => logBinomialTail(sum, n * trials, rate)),
    logMgf: (tilt) => trials * logBitMgf(rate, tilt),
    logTailOfCounts(sum, counts) {
      realValues('counts', counts, 0)
      const multiplicity = new Map<number, number>()
      for (const count of counts) multiplicity.set(count, (multiplicity.get(count) ?? 0) + trials)
      return logWeightedBernoulliTail(sum, [...multiplicity.keys()], rate, [...multiplicity.values()])
    },
  }
}

/**
 * A score that is a sum of `terms` standard exponentials (one by default). Sums are Gamma(n terms, 1).
 * @example exponential().logTail(600, 500) // ln P(Gamma(500, 1) >= 600) = -11.309
 */
export function exponential(options: { readonly terms?: number } = {}): NullLaw {
  refuseUnknown('exponential', options, ['terms'])
  const terms = integer('terms', options.terms ?? 1, 1, 2 ** 20)
  return {
    name: terms === 1 ? 'exponential()' : `exponential(terms=${terms})`,
    exact: true,
    mean: terms,
    logTail: checkedTail((sum, n) =>
      n === 0 ? (sum > 0 ? Number.NEGATIVE_INFINITY : 0) : logGammaTail(sum, n * terms),
    ),
    logMgf: (tilt) => -terms * Math.log1p(-tilt),
  }
}

/**
 * A score that is a weighted sum of bits that are 1 with probability `rate` (1/2 by default). Whole weights: exact. Others:
 * Chernoff's bound, and `exact` says so.
 * @example weightedBits([3, 2, 1]).mean // 3
 */
export function weightedBits(weights: readonly number[], options: { readonly rate?: number } = {}): NullLaw {
  refuseUnknown('weightedBits', options, ['rate'])
  const rate = number('rate', options.rate ?? 1 / 2, 0, 1, true)
  let total = 0
  for (const [i, weight] of realValues('weights', weights).entries())
    total += number(`weights[${i}]`, weight, 0, MAX_WEIGHT)
  if (total > MAX_WEIGHT) throw outOfRange('weights', `a sum of at most ${MAX_WEIGHT}`, total)
  const whole = Array.from(weights).every((weight) => Number.isInteger(weight))
  const tail = whole
    ? weightedTails(weights, rate)
    : (sum: number, n: number) =>
        logChernoffTail(sum, weights, rate, new Array<number>(weights.length).fill(n))
  return {
    name: `weightedBits(${weights.join()}${rate === 1 / 2 ? '' : `,rate=${rate}`})`,
    exact: whole,
    ...(whole && { step: 1 }),
    mean: weights.reduce((sum, weight) => sum + weight, 0) * rate,
    logTail: checkedTail(tail),
    logTailOfCounts(sum, counts) {
      const products = counts.flatMap((count) => weights.map((weight) => count * weight))
      return whole ? logWeightedBernoulliTail(sum, products, rate) : logChernoffTail(sum, products, rate)
    },
    logMgf: (tilt) => weights.reduce((sum, weight) => sum + logBitMgf(rate, tilt * weight), 0),
  }
}

/**
 * A score that is 1 for exactly `size` of `vocabSize` tokens under each code, all sets of that size alike: a green list cut from a
 * permutation. Tokens of different contexts are independent, tokens of one context are drawn without replacement. A list of
 * sizes: each is as likely (channels of different sizes).
 * @example withoutReplacement(1, 2) // one of two tokens is green: after a context with both, always one
 */
export function withoutReplacement(size: number | readonly number[], vocabSize: number): NullLaw {
  const total = integer('vocabSize', vocabSize, 1)
  const sizes = typeof size === 'number' ? [size] : Array.from(realValues('size', size))
  sizes.forEach((one) => {
    integer('size', one, 0, total)
  })
  const draw = { sizes, total }
  const rate = drawRate(draw)
  return {
    name: `withoutReplacement(${[...new Set(sizes)].join('|')},${total})`,
    exact: true,
    mean: rate,
    step: 1,
    logTail: checkedTail((sum, n) => logBinomialTail(sum, n, rate)),
    logTailOfContexts: (sum, text) => logDrawsTail(sum, contextCounts(text), draw),
    logMgf: (tilt) => logBitMgf(rate, tilt),
  }
}

/**
 * A score on 0 .. d with the given law.
 * @example lattice(Float64Array.of(0.5, 0.25, 0.25)).mean // 0.75
 */
export function lattice(pmf: Float64Array): NullLaw {
  if (!(pmf instanceof Float64Array)) throw wrongType('pmf', 'a Float64Array of probabilities', pmf)
  return {
    name: `lattice(${pmf.length})`,
    exact: true,
    mean: pmf.reduce((sum, mass, score) => sum + mass * score, 0),
    step: 1,
    logTail: checkedTail(latticeTails(pmf)),
    logMgf: (tilt) => logSumExp(Float64Array.from(pmf, (mass, score) => Math.log(mass) + tilt * score)),
  }
}

/** A tail of sums whose work grows with n: both arguments checked, n bounded. */
const checkedTail =
  (tail: NullLaw['logTail']): NullLaw['logTail'] =>
  (sum, n) =>
    tail(
      number('sum', sum, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      integer('n', n, 0, MAX_SCORES),
    )

/** Checks that a value is a law, or a function that may give one. */
export function checkLaw(name: string, law: unknown): void {
  if (typeof law !== 'function' && typeof (law as NullLaw | null | undefined)?.logTail !== 'function')
    throw wrongType(name, 'a null law such as binomial(1 / 2)', law)
}

/** Resolves a law that depends on the vocabulary. */
export function lawFor(law: NullLaw | ((vocabSize: number) => NullLaw), vocabSize: number): NullLaw {
  const resolved = typeof law === 'function' ? law(vocabSize) : law
  if (typeof resolved?.logTail !== 'function')
    throw wrongType('nullLaw', 'a null law such as binomial(1 / 2)', resolved)
  return resolved
}
