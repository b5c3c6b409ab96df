/**
 * Bets on numbers in [0, 1] whose means are given one by one: `prod_n (1 + l (x_n - mu_n))` is fair for each l in (-1, 1), and so
 * is the mean over several l of both signs. It ever reaches 1/a with probability at most a if the means are right.
 */
import { logSumExp } from '../../../core/stats/index.ts'
import { type PairBet, smallestPairExcess, textsForPairExcess } from './pair-power.ts'

const LEANS = [0.1, 0.3, 0.9, -0.1, -0.3, -0.9] as const

export interface MeanBets {
  add(x: number, mean: number): void
  logWealth(): number
  /** Mean of x minus its mean, so far. */
  readonly deviation: number
}

/** Starts bets on numbers whose means are given one by one. */
export function meanBets(): MeanBets {
  const logs = new Float64Array(LEANS.length)
  let count = 0
  let sum = 0
  return {
    add(x, mean) {
      count++
      sum += x - mean
      for (let i = 0; i < logs.length; i++) logs[i]! += Math.log1p(LEANS[i]! * (x - mean))
    },
    logWealth: () => logSumExp(logs) - Math.log(logs.length),
    get deviation() {
      return count === 0 ? 0 : sum / count
    },
  }
}

interface Rates {
  readonly level: number
  readonly miss: number
}

/** The bets as gains on 0 and 1 around 1/2: numbers that are 0 or 1 are the worst, whatever the law. */
const onEnds = (sign: 1 | -1): PairBet[] =>
  LEANS.filter((lean) => sign * lean > 0).map((lean) => {
    const [low, high] = [Math.log1p(-lean / 2), Math.log1p(lean / 2)]
    return { theta: high - low, logMoment: -low, least: 0, most: 1 }
  })
const signs = [1, -1] as const
const natsOf = (level: number): number => Math.log(LEANS.length / level)

/** The smallest deviation of the mean, either way, that is certain to be seen (but for `miss`) with n numbers around 1/2. */
export const smallestDeviation = (n: number, { level, miss }: Rates): number =>
  Math.max(...signs.map((sign) => smallestPairExcess(onEnds(sign), 1 / 2, n, { nats: natsOf(level), miss })))

/** Counts the numbers that it takes to see a deviation, up to `limit`. */
export const numbersForDeviation = (deviation: number, { level, miss }: Rates, limit: number): number =>
  Math.max(
    ...signs.map((sign) =>
      textsForPairExcess(onEnds(sign), 1 / 2, deviation, { nats: natsOf(level), miss }, limit),
    ),
  )
