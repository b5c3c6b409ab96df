import { integer, list, outOfRange, requireOptions, wrongType } from '../../input.ts'
import { logWeightedBernoulliTail } from './sums/log-weighted-bernoulli-tail.ts'
import { multiply } from './sums/truncated-power.ts'
import {
  logScale,
  saddle,
  type Tilt,
  type WeightedBernoulli,
  weightedBernoulli,
} from './sums/weighted-bernoulli.ts'

/** The law of one draw of winners: of `total` items `sizes[i]` win, all sets of that size alike, each entry of `sizes` alike. */
export interface WinnersDraw {
  readonly sizes: readonly number[]
  readonly total: number
}

/** The number of wins of an item. */
export const drawRate = ({ sizes, total }: WinnersDraw): number =>
  sizes.reduce((sum, size) => sum + size, 0) / (sizes.length * total)

/** The most that all items count together: tokens of a text. */
const MAX_COUNT = 2 ** 20

function checkDraw(draw: WinnersDraw): void {
  requireOptions('draw', draw, ['sizes', 'total'])
  integer('draw.total', draw.total, 1)
  const sizes = list('draw.sizes', draw.sizes, 'a list of numbers of winners')
  if (sizes.length === 0) throw outOfRange('draw.sizes', 'at least one number of winners', draw.sizes)
  for (let i = 0; i < sizes.length; i++) integer(`draw.sizes[${i}]`, sizes[i], 0, draw.total)
}

/**
 * ln P(X1 + X2 + ... >= sum), where each X is a draw of its own without replacement: it adds up `counts` over those of a few given
 * items that win. `groups[g]` holds the counts of the items that draw g is asked about. Exact.
 *
 * The null law of a green list of exactly k of V tokens: a context is one draw, the tokens seen after it are the items, and a
 * token seen c times counts c times. Two tokens of one context are not independent: with V = 2 and one of them green, just one
 * of the two is.
 *
 * Item after item, P(the next one wins | j of the first i won) = (k - j) / (V - i). That chain, under the exponential tilt of
 * independent items, has positive terms only: nothing cancels, and nothing vanishes in the far tail.
 *
 * @example logDrawsTail(1, [[1, 1]], { sizes: [1], total: 2 }) // one of two items always wins: 0
 * @example logDrawsTail(2, [[1, 1], [1]], { sizes: [1], total: 2 }) // and the third one half of the time: ln 1/2
 */
export function logDrawsTail(sum: number, groups: readonly (readonly number[])[], draw: WinnersDraw): number {
  integer('sum', sum, Number.MIN_SAFE_INTEGER)
  checkDraw(draw)
  if (!Array.isArray(groups)) throw wrongType('groups', 'an array of arrays of counts', groups)
  list('groups', groups, 'an array of arrays of counts')
  let total = 0
  for (let g = 0; g < groups.length; g++) {
    if (!Array.isArray(groups[g])) throw wrongType(`groups[${g}]`, 'an array of counts', groups[g])
    const items = list(`groups[${g}]`, groups[g], 'an array of counts')
    if (items.length > draw.total)
      throw outOfRange('groups', `at most ${draw.total} items of one draw`, items.length)
    for (let i = 0; i < items.length; i++) total += integer(`groups[${g}][${i}]`, items[i], 1, MAX_COUNT)
    if (total > MAX_COUNT) throw outOfRange('groups', `counts of at most ${MAX_COUNT} in all`, total)
  }
  const rate = drawRate(draw)
  const law = weightedBernoulli(groups.flat(), rate, undefined, true)
  if (groups.every((counts) => counts.length === 1)) return logWeightedBernoulliTail(sum, groups.flat(), rate)
  if (sum <= 0) return 0
  if (sum > law.total || rate === 0) return Number.NEGATIVE_INFINITY
  if (rate === 1) return 0
  // no finite tilt has the largest sum as its mean
  const tilt = saddle(law, Math.min(sum, law.total - 1 / 2))
  const { masses, log } = convolved(groups, draw, law, tilt)
  let tail = 0
  for (let x = masses.length - 1; x >= sum; x--) tail += Math.exp(-tilt.theta * (x - sum)) * masses[x]!
  return Math.min(0, logScale(law, tilt, sum) + log + Math.log(tail))
}

/** The tilted law of the sum, up to the factor e^log. */
function convolved(
  groups: readonly (readonly number[])[],
  draw: WinnersDraw,
  law: WeightedBernoulli,
  tilt: Tilt,
): { masses: Float64Array; log: number } {
  let masses = Float64Array.of(1)
  let log = 0
  // many small laws first
  for (const counts of groups.toSorted((a, b) => a.length - b.length)) {
    masses = multiply(oneDraw(counts, draw, law, tilt), masses)
    const most = masses.reduce((a, b) => Math.max(a, b))
    for (let x = 0; x < masses.length; x++) masses[x]! /= most
    log += Math.log(most)
  }
  return { masses, log }
}

/** The tilted law of one draw's sum, relative to the scale of independent items. */
function oneDraw(
  counts: readonly number[],
  { sizes, total }: WinnersDraw,
  law: WeightedBernoulli,
  tilt: Tilt,
): Float64Array {
  const out = new Float64Array(counts.reduce((sum, count) => sum + count, 0) + 1)
  const shares = new Map<number, number>()
  for (const size of sizes) shares.set(size, (shares.get(size) ?? 0) + 1 / sizes.length)
  for (const [size, share] of shares) addChain(counts, size, total, share, law, tilt, out)
  return out
}

/** Adds the law of the chain with `size` winners, times its share, to `out`. */
function addChain(
  counts: readonly number[],
  size: number,
  total: number,
  share: number,
  { weights, rate }: WeightedBernoulli,
  { on, off }: Tilt,
  out: Float64Array,
): void {
  const width = out.length
  /** Row j: the masses of the sum when j items have won, from low[j] to high[j]. */
  const rows = [new Float64Array(width)]
  const [low, high] = [[0], [0]]
  rows[0]![0] = share
  for (const [i, count] of counts.entries()) {
    const g = weights.indexOf(count)
    // from the top: a row has given to the next one before it is changed itself
    for (let j = rows.length - 1; j >= 0; j--) {
      const row = rows[j]!
      const chance = (size - j) / (total - i)
      const win = (chance * on[g]!) / rate
      const lose = Math.max(0, ((1 - chance) * off[g]!) / (1 - rate))
      if (win > 0) {
        rows[j + 1] ??= new Float64Array(width)
        const next = rows[j + 1]!
        for (let s = low[j]!; s <= high[j]!; s++) next[s + count]! += row[s]! * win
        low[j + 1] = Math.min(low[j + 1] ?? width, low[j]! + count)
        high[j + 1] = Math.max(high[j + 1] ?? 0, high[j]! + count)
      }
      for (let s = low[j]!; s <= high[j]!; s++) row[s]! *= lose
    }
  }
  for (const [j, row] of rows.entries()) for (let s = low[j]!; s <= high[j]!; s++) out[s]! += row[s]!
}
