import { integer, number, outOfRange, refuseUnknown } from '../../input.ts'
import type { Draws } from './bootstrap-interval.ts'
import type { Interval } from './clopper-pearson.ts'
import { logStudentTail } from './log-student-tail.ts'
import { midRanks } from './mid-ranks.ts'
import { normalQuantile } from './normal-quantile.ts'
import { realValues } from './real-values.ts'

/** A rank correlation, its interval and its p-value. */
export interface Spearman extends Interval {
  readonly rho: number
  /** Two-sided, against no association. */
  readonly pValue: number
  /**
   * The source of the p-value: all n! orders, a sample of them (valid as it stands), or Student's t (an
   * approximation).
   */
  readonly method: 'exact' | 'permutations' | 't'
  readonly n: number
}

export interface SpearmanOptions {
  readonly confidence?: number
  /** With a stream, samples of ten and more are tested by random permutations. */
  readonly random?: Draws
  readonly permutations?: number
}

/**
 * Spearman's rank correlation, ties by mid-ranks.
 *
 * Interval: Fisher's z with the standard error sqrt((1 + rho^2/2) / (n-3)) of Bonett and Wright (Psychometrika 2000),
 * asymptotic, [-1, 1] below four pairs. At rho = ±1, where z is infinite, z is taken half a step inside (rho moves in
 * steps of 12/(n^3-n)), so that the interval stays open. p-value: over all orders up to nine pairs; beyond, (1 +
 * hits) / (1 + permutations) with a stream, else rho sqrt((n-2)/(1-rho^2)) against t(n-2).
 * @example spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) // { rho: 0.8, pValue: 0.1333, ... }
 */
export function spearman(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  options: SpearmanOptions = {},
): Spearman {
  refuseUnknown('spearman', options, ['confidence', 'random', 'permutations'])
  const { confidence = 0.95, random, permutations = 9999 } = options
  const n = realValues('x', x, 2).length
  if (realValues('y', y, 2).length !== n) throw outOfRange('y', `${n} values, as many as x`, y)
  number('confidence', confidence, 0, 1, true)
  integer('permutations', permutations, 1, 100_000_000)
  const [a, b] = [centred('x', x), centred('y', y)]
  const rho = product(a, b) / Math.sqrt(product(a, a) * product(b, b))
  const interval = fisher(rho, n, confidence)
  if (n <= 9) return { rho, ...interval, pValue: exactPValue(a, b), method: 'exact', n }
  if (random !== undefined)
    return { rho, ...interval, pValue: sampledPValue(a, b, random, permutations), method: 'permutations', n }
  const t = Math.abs(rho) * Math.sqrt((n - 2) / ((1 - rho) * (1 + rho)))
  return { rho, ...interval, pValue: Math.min(1, 2 * Math.exp(logStudentTail(t, n - 2))), method: 't', n }
}

/** 2 rank - (n+1): integers with sum 0, so that products are exact and ties between permutations are ties. */
function centred(name: string, values: ArrayLike<number>): Float64Array {
  const ranks = midRanks(values).map((rank) => 2 * rank - (values.length + 1))
  if (ranks.every((rank) => rank === 0)) throw outOfRange(name, 'at least two different values', values)
  return ranks
}

const product = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

function fisher(rho: number, n: number, confidence: number): Interval {
  if (n < 4) return { low: -1, high: 1 }
  const edge = 1 - 6 / (n ** 3 - n)
  const z = Math.atanh(Math.max(-edge, Math.min(edge, rho)))
  const reach = normalQuantile((1 + confidence) / 2) * Math.sqrt((1 + rho ** 2 / 2) / (n - 3))
  return { low: Math.min(rho, Math.tanh(z - reach)), high: Math.max(rho, Math.tanh(z + reach)) }
}

/**
 * The share of all orders of b with a product at least as far from 0; Heap's algorithm, the product updated per swap.
 */
function exactPValue(a: Float64Array, b: Float64Array): number {
  const order = b.slice()
  const far = Math.abs(product(a, b))
  let [hits, all] = [0, 0]
  let at = product(a, order)
  const visit = (k: number): void => {
    if (k === 1) {
      all++
      if (Math.abs(at) >= far) hits++
      return
    }
    for (let i = 0; i < k; i++) {
      visit(k - 1)
      if (i === k - 1) break
      const j = k % 2 === 0 ? i : 0
      const [left, right] = [order[j]!, order[k - 1]!]
      at += (a[j]! - a[k - 1]!) * (right - left)
      order[j] = right
      order[k - 1] = left
    }
  }
  visit(order.length)
  return hits / all
}

/** (1 + hits) / (1 + permutations): valid, since the given order is one more exchangeable draw. */
function sampledPValue(a: Float64Array, b: Float64Array, random: Draws, permutations: number): number {
  const order = b.slice()
  const far = Math.abs(product(a, b))
  let hits = 0
  for (let run = 0; run < permutations; run++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1)
      const held = order[i]!
      order[i] = order[j]!
      order[j] = held
    }
    if (Math.abs(product(a, order)) >= far) hits++
  }
  return (1 + hits) / (1 + permutations)
}
