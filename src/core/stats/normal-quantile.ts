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

/** ln sqrt(2 pi). */
const LOG_ROOT_2_PI = Math.log(2 * Math.PI) / 2

/** The z >= 0 with P(Z >= z) = p, p <= 1/2, to the last bit. P(Z >= 39) is below the smallest float64. */
function upper(p: number): number {
  const log = Math.log(p)
  const holds = (z: number): boolean => logNormalTail(z) >= log
  // Newton's method on the logarithm, which is concave: from below it comes close in a few steps, and never far beyond
  let z = 0
  for (let step = 0; step < 12; step++) {
    const tail = logNormalTail(z)
    const by = (tail - log) * Math.exp(tail + (z * z) / 2 + LOG_ROOT_2_PI)
    z = Math.max(0, z + by)
    if (Math.abs(by) < 1e-12 * z) break
  }
  const [low, high] = [z * (1 - 1e-13), z * (1 + 1e-13)]
  return holds(low) && !holds(high) ? bisect(holds, low, high) : bisect(holds, 0, 39)
}
