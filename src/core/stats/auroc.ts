import { number, refuseUnknown } from '../../input.ts'
import { chernoffInterval } from './chernoff-interval.ts'
import { midRanks } from './mid-ranks.ts'
import { normalQuantile } from './normal-quantile.ts'
import { realValues } from './real-values.ts'

/** An area under the curve, with its standard error. */
export interface Auroc {
  /** P(positive > negative) + P(equal) / 2, over all pairs. */
  readonly auroc: number
  readonly standardError: number
  readonly low: number
  readonly high: number
}

/**
 * The area under the ROC curve, higher scores being more positive; ties count one half (mid-ranks).
 *
 * Standard error: DeLong, DeLong and Clarke-Pearson (Biometrics 1988), from the variance of each positive's share of
 * negatives below it and each negative's share of positives above it; with a single value on one side the largest
 * possible, sqrt(A(1-A)/min(m,n)). Interval: normal on the logit scale. Where the standard error is 0 (every pair
 * agrees) that interval would be a point, so it is instead `chernoffInterval` with min(m, n) observations, which
 * holds for any sample size (Hoeffding 1963, section 5).
 *
 * @example auroc([3, 4, 5], [1, 2, 3]).auroc // 8.5 of 9 pairs: 0.944
 */
export function auroc(
  positives: ArrayLike<number>,
  negatives: ArrayLike<number>,
  options: { readonly confidence?: number } = {},
): Auroc {
  refuseUnknown('auroc', options, ['confidence'])
  const { confidence = 0.95 } = options
  const above = realValues('positives', positives)
  const below = realValues('negatives', negatives)
  number('confidence', confidence, 0, 1, true)
  const [m, n] = [above.length, below.length]
  const joint = new Float64Array(m + n)
  joint.set(above)
  joint.set(below, m)
  const ranks = midRanks(joint)
  // a value's rank among all, less its rank among its own kind, counts the other kind below it (ties one half)
  const ofPositives = shares(ranks.subarray(0, m), midRanks(above), n)
  const ofNegatives = shares(ranks.subarray(m), midRanks(below), m)
  const area = mean(ofPositives)
  const fewest = Math.min(m, n)
  const standardError = Math.sqrt(
    fewest === 1 ? area * (1 - area) : variance(ofPositives) / m + variance(ofNegatives) / n,
  )
  const inside = area * (1 - area)
  if (standardError === 0 || inside === 0)
    return { auroc: area, standardError, ...chernoffInterval(area, fewest, confidence) }
  const logit = Math.log(area / (1 - area))
  const reach = (normalQuantile((1 + confidence) / 2) * standardError) / inside
  return { auroc: area, standardError, low: expit(logit - reach), high: expit(logit + reach) }
}

const shares = (among: Float64Array, own: Float64Array, others: number) =>
  among.map((rank, i) => (rank - own[i]!) / others)

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length

const variance = (values: Float64Array) => {
  const centre = mean(values)
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1)
}

const expit = (x: number) => 1 / (1 + Math.exp(-x))
