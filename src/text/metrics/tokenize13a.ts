/**
 * The tokenization of mteval-v13a, which sacreBLEU calls `13a` and uses by default: undo four XML entities, join words hyphenated
 * over a line end, then split off ASCII punctuation, except that `.` and `,` stay inside numbers, `-` splits only after a digit
 * and `'` never does. Case is kept; characters outside ASCII are ordinary letters.
 */

import { text as checkText } from '../../input.ts'

/** White space as Python's `str.split` knows it, which is what the published values were computed with. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators that Python's split() takes
const SPACES = /[\p{White_Space}\u001c-\u001f]+/u

/** ASCII punctuation that always stands alone: all but ' , - and . */
const PUNCTUATION = /[!-&(-+/:-@[-`{-~]/gu

/** Cuts off white space at the end. From the end on: a regular expression would look at every run of blanks, again and again. */
function withoutTrailing(text: string): string {
  let end = text.length
  while (end > 0 && SPACES.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/**
 * Returns the tokens of a text as sacreBLEU's `13a` tokenizer gives them.
 *
 * @example tokenize13a("It's 1,000.5 dollars, isn't it?") // ["It's", '1,000.5', 'dollars', ',', "isn't", 'it', '?']
 */
export function tokenize13a(text: string): string[] {
  checkText('text', text)
  const plain = withoutTrailing(text)
    .replaceAll('<skipped>', '')
    .replaceAll('-\n', '')
    .replaceAll('\n', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
  const split = ` ${plain} `
    .replace(PUNCTUATION, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ') // unless a digit precedes
    .replace(/([.,])([^0-9])/gu, ' $1 $2') // unless a digit follows
    .replace(/([0-9])-/gu, '$1 - ')
  return splitWords(split)
}

/** Returns the words between white space; the tokenization that sacreBLEU calls `none`. */
export const splitWords = (text: string): string[] => text.split(SPACES).filter((word) => word !== '')
