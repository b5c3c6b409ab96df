import { integer, list, wrongType } from '../../input.ts'
import { type Metric, sampleTexts } from './metric.ts'
import { ngramCounts, ngramTotal } from './ngrams.ts'
import { tokenize13a } from './tokenize13a.ts'

function checkItems(items: unknown): void {
  const all = list('items', items, 'a list of words or tokens')
  for (let i = 0; i < all.length; i++)
    if (typeof all[i] !== 'string' && typeof all[i] !== 'number')
      throw wrongType(`items[${i}]`, 'a word or a token', all[i])
}

/**
 * Measures of repetition. A watermark with a fixed key can drive a model into loops, which likelihood alone rewards.
 */

/**
 * Computes distinct-n (Li et al., 2016): different n-grams over all n-grams; 1 where a text has no n-gram, as nothing repeats.
 *
 * @example distinctN(['a', 'b', 'a', 'b'], 2) // 2 / 3
 */
export function distinctN(items: ArrayLike<string | number>, n: number): number {
  checkItems(items)
  const total = ngramTotal(items.length, integer('n', n, 1))
  return total === 0 ? 1 : ngramCounts(items, n).size / total
}

/**
 * Computes seq-rep-n (Welleck et al., 2020): the share of n-grams that repeat an earlier one, 1 - distinct-n.
 *
 * @example repeatedNgrams([1, 2, 1, 2], 2) // 1 / 3
 */
export const repeatedNgrams = (items: ArrayLike<string | number>, n: number): number =>
  1 - distinctN(items, n)

/**
 * Computes rep-l (Welleck et al., 2020): the share of items that occur among the `window` items before them.
 *
 * @example repeatedWithin(['a', 'b', 'a', 'c'], 2) // 1 / 4
 */
export function repeatedWithin(items: ArrayLike<string | number>, window: number): number {
  integer('window', window, 1)
  checkItems(items)
  const last = new Map<string | number, number>()
  let repeated = 0
  for (let i = 0; i < items.length; i++) {
    const before = last.get(items[i]!)
    if (before !== undefined && i - before <= window) repeated++
    last.set(items[i]!, i)
  }
  return items.length === 0 ? 0 : repeated / items.length
}

const overWords = (
  id: string,
  better: Metric['better'],
  value: (words: readonly string[]) => number,
): Metric => ({
  id,
  low: 0,
  high: 1,
  better,
  needs: [],
  score: async (samples) => Float64Array.from(sampleTexts(samples), (text) => value(tokenize13a(text))),
})

/**
 * Returns distinct-n over the words of a text as a metric in [0, 1].
 * @example
 * const [value] = await distinct(1).score([{ text: 'a b a b' }])
 * value // 0.5
 */
export const distinct = (n: number): Metric =>
  overWords(`distinct(n=${integer('n', n, 1)})`, 'higher', (words) => distinctN(words, n))

/**
 * Returns the share of repeated n-grams over the words of a text as a metric in [0, 1].
 * @example
 * const [value] = await repetition(1).score([{ text: 'a b a b' }])
 * value // 0.5
 */
export const repetition = (n = 4): Metric =>
  overWords(`repetition(n=${integer('n', n, 1)})`, 'lower', (words) => repeatedNgrams(words, n))
