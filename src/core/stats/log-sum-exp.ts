import { list, number } from '../../input.ts'
/**
 * ln(e^a1 + ... + e^an): a sum of probabilities given by their logarithms.
 *
 * The largest term is taken out first, so that nothing overflows and only negligible terms underflow. The sum of
 * nothing is 0, its logarithm -Infinity.
 *
 * @example logSumExp([-1000, -1000]) // -1000 + ln 2 = -999.3069
 */
export function logSumExp(logs: ArrayLike<number>): number {
  list('logs', logs, 'a list of logarithms')
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < logs.length; i++) {
    const a = logs[i]!
    number(`logs[${i}]`, a, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
    if (a > top) top = a
  }
  if (!Number.isFinite(top)) return top
  let sum = 0
  for (let i = 0; i < logs.length; i++) sum += Math.exp(logs[i]! - top)
  return top + Math.log(sum)
}
