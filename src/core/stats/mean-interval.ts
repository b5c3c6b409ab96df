import { number, outOfRange } from '../../input.ts'
import { bisect } from './bisect.ts'
import type { Interval } from './clopper-pearson.ts'
import { logStudentTail } from './log-student-tail.ts'
import { realValues } from './real-values.ts'

/** A mean and its interval. */
export interface MeanInterval extends Interval {
  readonly mean: number
  readonly standardError: number
  readonly n: number
}

/**
 * The mean with Student's t interval: exact for normal values, good for large samples of others. At least two values.
 *
 * @example meanInterval([1, 2, 3, 4]) // { mean: 2.5, standardError: 0.645, low: 0.446, high: 4.554, n: 4 }
 */
export function meanInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval {
  const sample = realValues('values', values, 2)
  const wrong = sample.findIndex((value) => !Number.isFinite(value))
  if (wrong >= 0) throw outOfRange(`values[${wrong}]`, 'a finite number', sample[wrong])
  number('confidence', confidence, 0, 1, true)
  const n = sample.length
  const mean = sample.reduce((sum, value) => sum + value / n, 0)
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  const standardError = Math.sqrt(variance / n)
  const reach = studentQuantile((1 + confidence) / 2, n - 1) * standardError
  return { mean, standardError, low: mean - reach, high: mean + reach, n }
}

/** The t >= 0 with P(T <= t) = p, p >= 1/2. */
function studentQuantile(p: number, freedom: number): number {
  const log = Math.log(1 - p)
  const holds = (t: number) => logStudentTail(t, freedom) >= log
  let high = 1
  while (holds(high)) high *= 2
  return bisect(holds, 0, high)
}
