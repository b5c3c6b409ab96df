/**
 * Are p-values what they claim? For n independent keys and one text, the claim is P(p <= a) <= a for every a; where the
 * p-value is exact, P(p <= a) = a at every value that it takes.
 *
 * These tests share the false-alarm rate equally:
 * - Dvoretzky-Kiefer-Wolfowitz with Massart's constant: `sup_a F_n(a) - a` reaches sqrt(ln(1/level) / 2n) with probability at
 *   most `level`. It carries the guaranteed power: an excess `P(p <= a) - a` at any a of at least `smallestExcess` is seen.
 * - The same from below at the values taken, where the p-value is declared exact.
 * - Exact binomial counts of p <= 5%, 1%, 0.1%, and on down to 1e-100: they see a tail that is too heavy by a factor, and far
 *   down a single p-value is enough.
 * - The largest of them: all n lie at or below a with probability at most a^n. It sees p-values that never come near 1.
 * - Fisher: `-sum ln p` is at most Gamma(n, 1). It sees a small shift of everything, such as a null rate that is 1% off.
 */
import { bisect, logBinomialTail, logGammaTail, smallest } from '../../../core/stats/index.ts'
import type { Verdict } from './bounds.ts'
import { hoeffding } from './bounds.ts'

/** The levels of detection tables, and below. */
const LEVELS = [0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15, 1e-30, 1e-100] as const
const PARTS = LEVELS.length + 4

export interface PValueRates {
  readonly falseAlarm: number
  readonly miss: number
}

export interface PValueFinding {
  readonly verdict: Verdict
  /** Largest excess of the empirical distribution over the claim. */
  readonly excess: number
  /** The finding in words; empty where nothing was found. */
  readonly why: string
}

const nats = (falseAlarm: number): number => Math.log(PARTS / falseAlarm)

/** The smallest excess `P(p <= a) - a`, at any a, that is certain to be seen (but for `miss`) with that many keys. */
export const smallestExcess = (keys: number, { falseAlarm, miss }: PValueRates): number =>
  Math.min(1, hoeffding(keys, nats(falseAlarm)) + hoeffding(keys, -Math.log(miss)))

/** Counts the keys that it takes to see an excess for certain. */
export function keysForExcess(excess: number, { falseAlarm, miss }: PValueRates): number {
  const keys = ((hoeffding(1, nats(falseAlarm)) + hoeffding(1, -Math.log(miss))) / excess) ** 2
  // not one more for a rounding error
  return Math.ceil(keys * (1 - 1e-12))
}

/** The least count of p <= a among n that a valid p-value reaches with probability at most e^-nats. */
const leastCount = (n: number, a: number, nats: number): number =>
  smallest((count) => logBinomialTail(count, n, a) <= -nats, 0, n + 1)

/** The smallest rate of p <= `level` that is certain to be seen with that many keys; 1 where nothing is certain. */
export function smallestRate(level: number, keys: number, { falseAlarm, miss }: PValueRates): number {
  const count = leastCount(keys, level, nats(falseAlarm))
  if (count > keys) return 1
  return bisect((rate) => logBinomialTail(count, keys, rate) < Math.log1p(-miss), 0, 1)
}

/** Values closer than this are one value that was rounded in two ways. */
const SAME = 1e-9

/** sup over the values taken of F_n(a) - a, and of a - F_n(a). */
function deviations(sorted: Float64Array): { above: number; below: number } {
  const n = sorted.length
  let above = 0
  let below = 0
  for (let i = 0; i < n; i++) {
    if (i + 1 < n && sorted[i + 1]! - sorted[i]! <= SAME * sorted[i]!) continue
    above = Math.max(above, (i + 1) / n - sorted[i]!)
    below = Math.max(below, sorted[i]! - (i + 1) / n)
  }
  return { above, below }
}

const percent = (x: number): string => (x < 1e-5 ? x.toExponential() : `${+(100 * x).toPrecision(3)}%`)

/**
 * Tests whether p-values are what they claim, by the tests above. A p-value that is not a number fails.
 * @param logPValues natural logs of the p-values of one text under independent keys
 * @param exact whether the p-values are declared exact
 */
export function pValueTest(logPValues: Float64Array, exact: boolean, rates: PValueRates): PValueFinding {
  const n = logPValues.length
  const wrong = logPValues.find((log) => !(log <= 0))
  if (wrong !== undefined) return { verdict: 'fails', excess: 1, why: `ln of a p-value is ${wrong}` }
  const level = nats(rates.falseAlarm)
  const { above, below } = deviations(logPValues.map(Math.exp).sort())
  const radius = hoeffding(n, level)
  const found = (why: string): PValueFinding => ({ verdict: 'fails', excess: above, why })
  if (above >= radius) return found(`P(p <= a) exceeds a by ${above.toFixed(3)} at some a, over ${n} keys`)
  for (const a of LEVELS) {
    const count = logPValues.reduce((k, log) => k + (log <= Math.log(a) ? 1 : 0), 0)
    if (logBinomialTail(count, n, a) <= -level) return found(`p <= ${percent(a)} for ${count} of ${n} keys`)
  }
  const largest = logPValues.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  if (n * largest <= -level)
    return found(`none of the p-values of ${n} keys is above ${Math.exp(largest).toPrecision(3)}`)
  const fisher = -logPValues.reduce((sum, log) => sum + log, 0)
  if (logGammaTail(fisher, n) <= -level)
    return found(
      `p-values are too small on the whole: the mean of -ln p is ${(fisher / n).toFixed(3)}, not 1`,
    )
  if (exact && below >= radius)
    return found(`declared exact, yet P(p <= a) falls short of a by ${below.toFixed(3)} at a value it takes`)
  return { verdict: 'holds', excess: above, why: '' }
}
