/**
 * What an attack left of a text. A watermark with a context of two tokens is scored on triples (context, token), so those that are
 * still there carry what is left of it; content words say how much of the meaning is.
 */
import { text as checkText, integer } from '../input.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import { checkTokens } from '../keys/tokens.ts'
import { contentWords } from './words.ts'

/** The share of `before` that is found in `after`, each as often as it is there; 1 where there is nothing to lose. */
function share(before: readonly string[], after: readonly string[]): number {
  const left = new Map<string, number>()
  for (const item of after) left.set(item, (left.get(item) ?? 0) + 1)
  let found = 0
  for (const item of before) {
    const count = left.get(item) ?? 0
    if (count > 0) found++
    left.set(item, count - 1)
  }
  return before.length === 0 ? 1 : found / before.length
}

const ngrams = (tokens: ArrayLike<number>, n: number): string[] =>
  Array.from({ length: Math.max(0, tokens.length - n + 1) }, (_, i) =>
    Array.from({ length: n }, (_, j) => tokens[i + j]!).join(),
  )

/**
 * The share of a text's n-grams that are still there after an attack, by default of triples: two tokens of context and a token.
 * @example survivingNgrams([1, 2, 3, 4], [1, 2, 3, 9]) // 0.5
 */
export function survivingNgrams(before: ArrayLike<number>, after: ArrayLike<number>, n = 3): number {
  checkTokens(before, MAX_VOCAB, 'before')
  checkTokens(after, MAX_VOCAB, 'after')
  integer('n', n, 1, 1024)
  return share(ngrams(before, n), ngrams(after, n))
}

/**
 * The share of a text's content words that are still there after an attack: words that are not articles, pronouns, prepositions
 * or auxiliaries.
 * @example survivingWords('The cat sat on a mat.', 'A mat is what the dog sat on.') // 2 of 3: mat, sat = 0.6667
 */
export function survivingWords(before: string, after: string): number {
  checkText('before', before)
  checkText('after', after)
  return share(contentWords(before), contentWords(after))
}
