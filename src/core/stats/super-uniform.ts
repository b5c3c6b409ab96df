import { number, outOfRange, refuseUnknown } from '../../input.ts'
import { bisect, smallest } from './bisect.ts'
import { logBinomialTail } from './log-binomial-tail.ts'
import { log1mexp } from './log1mexp.ts'
import { realValues } from './real-values.ts'

export interface SuperUniformOptions {
  /** The levels a at which P(p <= a) <= a is tested. */
  readonly levels?: readonly number[]
  /** The probability that valid p-values fail, over all levels together. */
  readonly falseAlarm?: number
  /** The probability that p-values as bad as `smallestRate` pass. */
  readonly miss?: number
}

/** The result at one level. */
export interface SuperUniformLevel {
  readonly level: number
  /** The number of p-values of at most `level`. */
  readonly count: number
  /** The smallest count that fails. */
  readonly limit: number
  readonly holds: boolean
  /** Power: a true rate P(p <= level) of this much or more fails with a probability of at least 1 - miss. */
  readonly smallestRate: number
}

/** The verdict on p-values that promise to be super-uniform, level by level. */
export interface SuperUniformVerdict {
  readonly holds: boolean
  readonly n: number
  readonly falseAlarm: number
  readonly miss: number
  readonly levels: readonly SuperUniformLevel[]
}

/**
 * Are independent p-values valid, P(p <= a) <= a, at 5%, 1% and 0.1%?
 *
 * At each level the count of p-values that reach it is stochastically at most Binomial(n, level), so a count with
 * P(Binomial >= count) <= falseAlarm / (number of levels) refutes validity; by the union bound valid p-values fail
 * somewhere with a probability of at most `falseAlarm`, discrete and conservative ones included. Too few p-values for
 * any count to fail is an error: such a check could not fail.
 * @example
 * const pValues = Array.from({ length: 20_000 }, (_, i) => (i + 0.5) / 20_000)
 * superUniform(pValues, { falseAlarm: 1e-9, miss: 1e-3 }).levels[0] // { level: 0.05, count: 1000, limit: 1197, holds: true, smallestRate: 0.0652 }
 */
export function superUniform(
  pValues: ArrayLike<number>,
  options: SuperUniformOptions = {},
): SuperUniformVerdict {
  refuseUnknown('superUniform', options, ['levels', 'falseAlarm', 'miss'])
  const { levels = [0.05, 0.01, 0.001], falseAlarm = 1e-9, miss = 1e-3 } = options
  const asked = realValues('levels', levels)
  const sample = realValues('pValues', pValues)
  sample.forEach((p, i) => {
    number(`pValues[${i}]`, p, 0, 1)
  })
  number('falseAlarm', falseAlarm, 0, 1, true)
  number('miss', miss, 0, 1, true)
  const n = sample.length
  const share = Math.log(falseAlarm / asked.length)
  const verdicts = Array.from(asked, (level, i) => {
    number(`levels[${i}]`, level, 0, 1, true)
    const limit = smallestFailing(n, level, share)
    const count = sample.reduce((sum, p) => sum + (p <= level ? 1 : 0), 0)
    return { level, count, limit, holds: count < limit, smallestRate: smallestSeen(n, limit, miss) }
  })
  return { holds: verdicts.every((verdict) => verdict.holds), n, falseAlarm, miss, levels: verdicts }
}

/** The smallest count whose binomial tail is at most the level's share of the false alarms. */
function smallestFailing(n: number, level: number, logShare: number): number {
  if (n * Math.log(level) > logShare)
    throw outOfRange(
      'pValues',
      `at least ${Math.ceil(logShare / Math.log(level))} values to test the level ${level}`,
      n,
    )
  return smallest((count) => logBinomialTail(count, n, level) <= logShare, 0, n)
}

/** The smallest rate at which the count reaches `limit` with a probability of at least 1 - miss. */
function smallestSeen(n: number, limit: number, miss: number): number {
  const enough = log1mexp(Math.log(miss))
  return bisect((rate) => logBinomialTail(limit, n, rate) < enough, 0, 1)
}
