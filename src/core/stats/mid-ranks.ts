import { realValues } from './real-values.ts'

/**
 * The rank of every value, from 1; equal values share the mean of the ranks they occupy.
 *
 * @example midRanks([10, 20, 20, 5]) // [2, 3.5, 3.5, 1]
 */
export function midRanks(values: ArrayLike<number>): Float64Array {
  const sample = realValues('values', values, 0)
  const order = Uint32Array.from(sample, (_, i) => i).sort((a, b) => compare(sample[a]!, sample[b]!))
  const ranks = new Float64Array(sample.length)
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && sample[order[to]!] === sample[order[from]!]) to++
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}

// not a - b, which is NaN for two equal infinities
const compare = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0)
