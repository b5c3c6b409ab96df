import { number } from '../../input.ts'

/** Share of the largest bet that could lose everything. */
const CAUTION = 0.9
/** Candidates for the mean between 0 and 1. */
const GRID = 1000

/**
 * A confidence interval for the mean of independent numbers in [0, 1], not asymptotic: it misses the mean with probability at most
 * 1 - confidence, whatever the laws (Waudby-Smith and Ramdas, 2024). For each candidate m two gamblers bet on x - m, one each way, with
 * stakes that depend on the past only; a candidate against which their mean wealth ever reaches 1 / (1 - confidence) is out.
 *
 * @example bettingInterval([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).low // 0
 */
export function bettingInterval(values: readonly number[], confidence = 0.95): { low: number; high: number } {
  number('confidence', confidence, 0, 1, true)
  const n = values.length
  const limit = -Math.log(1 - confidence)
  const stakes = stakesOf(values, Math.log(2) + limit)
  const out = (m: number): boolean => {
    const log = [0, 0]
    for (let i = 0; i < n; i++) {
      const gain = values[i]! - m
      log[0]! += Math.log1p(Math.min(stakes[i]!, CAUTION / m) * gain)
      log[1]! += Math.log1p(-Math.min(stakes[i]!, CAUTION / (1 - m)) * gain)
      const top = Math.max(log[0]!, log[1]!)
      // the mean wealth is at most the larger one
      if (top < limit) continue
      if (top + Math.log((Math.exp(log[0]! - top) + Math.exp(log[1]! - top)) / 2) >= limit) return true
    }
    return false
  }
  const kept = Array.from({ length: GRID + 1 }, (_, i) => i / GRID).filter((m) => !out(m))
  const mean = values.reduce((sum, x) => sum + x, 0) / Math.max(1, n)
  if (kept.length === 0) return { low: mean, high: mean }
  return {
    low: kept[0] === 0 ? 0 : edge(out, kept[0]! - 1 / GRID, kept[0]!),
    high: kept.at(-1) === 1 ? 1 : edge(out, kept.at(-1)! + 1 / GRID, kept.at(-1)!),
  }
}

/** lambda_i = sqrt(2 ln(2/a) / (n v)), v the variance so far with a prior of 1/4. */
function stakesOf(values: readonly number[], nats: number): Float64Array {
  const stakes = new Float64Array(values.length)
  let [sum, squares] = [0.5, 0.25]
  for (let i = 0; i < values.length; i++) {
    stakes[i] = Math.sqrt((2 * nats) / (values.length * (squares / (i + 1))))
    sum += values[i]!
    squares += (values[i]! - sum / (i + 2)) ** 2
  }
  return stakes
}

/** The outermost candidate that stays, between one that is out and one that is in. */
function edge(out: (m: number) => boolean, outside: number, inside: number): number {
  let [a, b] = [outside, inside]
  for (let step = 0; step < 20; step++) {
    const middle = (a + b) / 2
    if (out(middle)) a = middle
    else b = middle
  }
  return a
}
