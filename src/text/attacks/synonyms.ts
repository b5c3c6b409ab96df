import { seededRandom } from '../../core/keys/index.ts'
import { text as checkText, number, requireOptions, wrongType } from '../../input.ts'
import type { TextAttack } from './attack.ts'
import { distinctPositions } from './positions.ts'
import type { WordNet } from './wordnet.ts'
import { FUNCTION_WORDS, WORD } from './words.ts'

/**
 * Synonym replacement through WordNet. Of the words of a text, round(rate words) are replaced, or all that can be if they are
 * fewer; which ones is uniform. A word can be replaced if it is a lemma of WordNet with a one-word synonym, or such a noun or
 * verb with a regular -s, which the synonym gets too. Everything else stays: function words, names (capitals inside a
 * sentence), past forms, gerunds, comparatives. The sense is the most frequent one, the context is not looked at, and `a` does not
 * become `an`: it is the simple attacker of the literature, not a good writer.
 */

/** Irregular past forms that WordNet knows as other words: it would make `said` aforementioned and `found` establish. */
const PAST_FORMS = new Set(
  (
    'bade bent bit blew bore bought bound bred broke broken brought built burnt came cast caught chose cut dealt done drank drawn drew ' +
    'driven drove fallen fed fell felt fled flew forgot forgotten fought found froze frozen gave given gone got ground grown hid hidden ' +
    'hit hurt kept knew known laid lain lay led left lent lit lost made meant met paid put ran rent risen rode rose said sang sank sat ' +
    'saw seen sent set shed shone shook shot shown shrank shut slain slept slew slid sold sought spent split spoke spread sprung stolen stole stood ' +
    'stuck struck strung stung sung sunk swam swept swore sworn swung taken taught thought threw thrown tore torn took trod went wept ' +
    'woke won wore worn wound wove woven wrote written'
  ).split(' '),
)

/** Words whose plural is not regular would get a wrong one. */
const IRREGULAR = /(?:man|child|foot|tooth|goose|mouse|louse|ox|fe|lf|sheep|deer|fish|is|us)$/

/** Adds a regular -s to a word. */
const withS = (word: string): string =>
  /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}${/(?:s|x|z|ch|sh)$/.test(word) ? 'es' : 's'}`

/** Returns the words that give `word` with a regular -s. */
function withoutS(word: string): string[] {
  const bases = [/ies$/.test(word) ? `${word.slice(0, -3)}y` : '', word.slice(0, -2), word.slice(0, -1)]
  return bases.filter((base) => base.length > 1 && !IRREGULAR.test(base) && withS(base) === word)
}

/** Replacements of a lower-case word, in its own form. */
export function replacements(word: string, wordnet: WordNet): readonly string[] {
  if (word.length < 2 || FUNCTION_WORDS.has(word) || PAST_FORMS.has(word)) return []
  const own = wordnet.synonyms(word)
  if (own !== undefined) return own.words.filter((other) => !FUNCTION_WORDS.has(other))
  for (const base of withoutS(word)) {
    const found = wordnet.synonyms(base, ['noun', 'verb'])
    if (found !== undefined && !FUNCTION_WORDS.has(base))
      return found.words.filter((other) => !IRREGULAR.test(other) && !FUNCTION_WORDS.has(other)).map(withS)
  }
  return []
}

/** Returns the replacement in the case of what it replaces. */
function inCase(replacement: string, word: string): string {
  if (word.length > 1 && word === word.toUpperCase()) return replacement.toUpperCase()
  return word[0] === word[0]!.toUpperCase()
    ? replacement[0]!.toUpperCase() + replacement.slice(1)
    : replacement
}

interface Word {
  readonly word: string
  readonly at: number
  readonly options: readonly string[]
}

/** Returns all words of a text with what could stand in their place, in their case; without options where nothing can. */
export function wordsOf(
  text: string,
  wordnet: WordNet,
  known = new Map<string, readonly string[]>(),
): Word[] {
  return Array.from(text.matchAll(WORD), ({ 0: word, index: at }) => {
    const isName = /^\p{Lu}/u.test(word) && word !== word.toUpperCase() && !startsSentence(text, at)
    if (isName) return { word, at, options: [] }
    const lower = word.toLowerCase()
    const found = known.get(lower) ?? replacements(lower, wordnet)
    known.set(lower, found)
    return { word, at, options: found.map((other) => inCase(other, word)) }
  })
}

/**
 * Replaces words by synonyms from WordNet.
 * @example
 * const attack = synonyms(await loadWordNet(), { rate: 0.5 })
 * await attack.apply('The automobile stopped.', { seed: 1 }) // 'The auto stopped.'
 */
export function synonyms(wordnet: WordNet, options: { readonly rate: number }): TextAttack {
  if (typeof wordnet?.synonyms !== 'function')
    throw wrongType('wordnet', 'a WordNet such as await loadWordNet()', wordnet)
  requireOptions('synonyms', options, ['rate'])
  const { rate } = options
  number('rate', rate, 0, 1)
  const id = `synonyms(rate=${rate})`
  const known = new Map<string, readonly string[]>()
  return {
    id,
    async apply(text, options) {
      requireOptions('synonyms', options, ['seed', 'prompt'])
      const { seed } = options
      checkText('text', text)
      const words = wordsOf(text, wordnet, known)
      const replaceable = words.filter(({ options }) => options.length > 0)
      const stream = seededRandom(seed, 'attack', id)
      const count = Math.min(Math.round(rate * words.length), replaceable.length)
      let result = ''
      let copied = 0
      for (const position of distinctPositions(stream, count, replaceable.length)) {
        const { word, options, at } = replaceable[position]!
        result += text.slice(copied, at) + options[stream.below(options.length)]!
        copied = at + word.length
      }
      return result + text.slice(copied)
    },
  }
}

/** Tells whether only quotes and spaces stand between position `at` and the end of a sentence, or the beginning. */
const startsSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?:;]|\n)[\s"'“”‘’(]*$/.test(text.slice(Math.max(0, at - 20), at))
