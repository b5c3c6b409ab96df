/**
 * Measures of what an attack leaves of a text. A watermark with a context of two tokens is scored on triples (context, token), so the
 * triples that are still there carry the rest of the watermark; content words carry most of the meaning.
 */

import { checkTokens, MAX_VOCAB } from '../../core/keys/index.ts'
import { text as checkText, integer } from '../../input.ts'
import { ngramCounts, ngramTotal, overlap } from '../metrics/ngrams.ts'
import { contentWords } from './words.ts'

/** Returns the share of n-grams of `before` that are found in `after`, each as often as it is there; 1 where there is nothing to lose. */
function share(before: ArrayLike<string | number>, after: ArrayLike<string | number>, n: number): number {
  const total = ngramTotal(before.length, n)
  return total === 0 ? 1 : overlap(ngramCounts(before, n), ngramCounts(after, n)) / total
}

/**
 * Returns the share of a text's n-grams that are still there after an attack, by default of triples: two tokens of context and a token.
 * @example survivingNgrams([1, 2, 3, 4], [1, 2, 3, 9]) // 0.5
 */
export function survivingNgrams(before: ArrayLike<number>, after: ArrayLike<number>, n = 3): number {
  checkTokens(before, MAX_VOCAB, 'before')
  checkTokens(after, MAX_VOCAB, 'after')
  integer('n', n, 1, 1024)
  return share(before, after, n)
}

/**
 * Returns the share of a text's content words that are still there after an attack: words that are not articles, pronouns, prepositions
 * or auxiliaries.
 * @example survivingWords('The cat sat on a mat.', 'A mat is what the dog sat on.') // 2 of 3: mat, sat = 0.6667
 */
export function survivingWords(before: string, after: string): number {
  checkText('before', before)
  checkText('after', after)
  return share(contentWords(before), contentWords(after), 1)
}
