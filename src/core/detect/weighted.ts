/**
 * A sum of scores weighed by what the model says of each position. Where the model leaves no choice a mark cannot show, and the score of such a token is noise: it should count little. The
 * weights are functions of the text and of the model's distributions. For a text that was written without the key both are independent of the key, so given them the scores are
 * independent with their usual law, and the weighted sum has an exact tail. Weights that were made from scores, or from a marked distribution, would void that.
 */
import { callable, oneOf, outOfRange, requireOptions } from '../../input.ts'
import type { NullLaw, Watermark } from '../../watermark.ts'
import type { Tokens } from '../keys/rule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { logWeightedExponentialsTail } from '../stats/log-weighted-exponentials-tail.ts'
import { logWeightedBernoulliTail } from '../stats/sums/index.ts'
import { freshScores } from './fresh-scores.ts'
import { exponential } from './null-laws.ts'
import { type DetectWithModelOptions, distributionAt } from './with-model.ts'

/** Weights are 1 .. 8 eighths of the largest: integers, whose sums have exact tails. */
const LEVELS = 8

/** By how much a score of published uniforms, which have 24 bits, may be too large. */
const COARSE = 2 ** -22

export interface DetectWeightedOptions extends DetectWithModelOptions {
  /** The weight of a position: the entropy of its distribution, or the surprisal -ln p(x) of its token. Default 'entropy'. */
  readonly weight?: 'entropy' | 'surprisal'
}

/** The evidence of a weighted sum of scores. */
export interface WeightedEvidence {
  /** The sum of weight times score; weights are integers from 1 to 8. */
  readonly statistic: number
  /** P(pValue <= a) <= a for every a if the text was written without the key. */
  readonly pValue: number
  readonly logPValue: number
  /** The number of tokens that have a weight. */
  readonly scored: number
}

const entropyOf = (p: Float64Array): number =>
  p.reduce((sum, mass) => (mass > 0 ? sum - mass * Math.log(mass) : sum), 0)

type WeightedTail = (sum: number, weights: readonly number[]) => number

/** ln P(weighted sum of independent scores >= sum): exact, or undefined where the law has none. */
function weightedTail(law: NullLaw, bound: number): WeightedTail | undefined {
  // green or not, also where the lists come from permutations: each context is scored once
  if (law.step === 1 && bound === 1) return (sum, weights) => logWeightedBernoulliTail(sum, weights, law.mean)
  if (law.logTailOfCounts !== undefined && law.logTailOfContexts === undefined)
    return (sum, weights) => law.logTailOfCounts!(sum, weights)
  if (law.name !== exponential().name) return undefined
  return (sum, weights) =>
    logWeightedExponentialsTail(sum - COARSE * weights.reduce((total, w) => total + w, 0), weights)
}

/**
 * Detects a watermark with the model at hand, by the sum of scores weighed by entropy or surprisal: fewer tokens than the plain sum where some positions leave a choice and others do not. The tail is exact.
 * P(pValue <= a) <= a for a text that was written without the key; the probabilities may be wrong, which costs power and not the guarantee, as long as they do not depend on the key.
 * For watermarks whose scores are bits, counts or exponentials.
 * @example
 * const options = { key: 'a secret of sixteen bytes', vocabSize: 3 }
 * const p = Float64Array.of(0.9, 0.05, 0.05)
 * detectWeighted(gumbel(), [0, 1, 2, 0, 0, 1], { ...options, probabilities: () => p }).scored // 4
 */
export function detectWeighted<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: DetectWeightedOptions,
): WeightedEvidence {
  requireOptions('detectWeighted', options, ['key', 'vocabSize', 'probabilities', 'skip', 'weight'])
  const { probabilities, weight = 'entropy', vocabSize, ...rest } = options
  oneOf('weight', weight, ['entropy', 'surprisal'])
  callable('probabilities', probabilities, 'a function (t) => Float64Array')
  const fresh = freshScores(watermark, { ...rest, vocabSize })
  checkTokens(tokens, vocabSize)
  const tail = weightedTail(fresh.law, watermark.detector!.bound)
  if (tail === undefined)
    throw outOfRange('watermark', 'one whose scores are bits, counts or exponentials', watermark.id)
  const [scores, shares]: [number[], number[]] = [[], []]
  for (let t = 0; t < tokens.length; t++) {
    const score = fresh.next(tokens[t]!)
    if (score === undefined) continue
    const p = distributionAt(probabilities, t, vocabSize)
    const mass = p[tokens[t]!]!
    const share = weight === 'entropy' ? entropyOf(p) : -Math.log(mass)
    // no choice, or a token that the model rules out: it has nothing to say
    if (!(share > 0) || mass === 0) continue
    scores.push(score)
    shares.push(share)
  }
  const most = shares.reduce((largest, share) => Math.max(largest, share), 0)
  const weights = shares.map((share) => Math.ceil((LEVELS * share) / most))
  const statistic = scores.reduce((sum, score, i) => sum + weights[i]! * score, 0)
  const logPValue = scores.length === 0 ? 0 : Math.min(0, tail(statistic, weights))
  return { statistic, pValue: Math.exp(logPValue), logPValue, scored: scores.length }
}
