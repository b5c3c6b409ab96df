import { number } from '../../input.ts'
import { bisect } from './bisect.ts'
import { logNormalTail } from './log-normal-tail.ts'

/**
 * The z with P(Z <= z) = p for a standard normal Z.
 *
 * @example normalQuantile(0.975) // 1.959964
 */
export function normalQuantile(p: number): number {
  number('p', p, 0, 1, true)
  if (p > 0.5) return upper(1 - p)
  return -upper(p)
}

/** The z >= 0 with P(Z >= z) = p, p <= 1/2. P(Z >= 39) is below the smallest float64. */
function upper(p: number): number {
  const log = Math.log(p)
  return bisect((z) => logNormalTail(z) >= log, 0, 39)
}
