/**
 * Edits of characters that keep a text readable: what editors, keyboards and copying do by themselves, and what somebody does to hide from a
 * detector. Each changes round(rate n) of the n places where it applies, every choice equally likely. Look-alikes are a part of
 * Unicode's confusables (UTS #39) that common fonts draw alike; typos are those of Damerau (1964). `normalise` undoes what leaves no doubt.
 */

import { type Stream, seededRandom } from '../../core/keys/index.ts'
import { text as checkText, number, oneOf, requireOptions } from '../../input.ts'
import type { TextAttack } from './attack.ts'
import { distinctPositions } from './positions.ts'
import { WORD } from './words.ts'

/** Latin letters, and a letter of another script in the same place that looks the same. */
const LATIN = 'aceiopsxyhjABCEHIJKMOPSTXYNZ'
const ALIKE = 'асеіорѕхуһјАВСЕНІЈКМОРЅТХҮΝΖ'
const homoglyphOf = new Map(Array.from(LATIN, (letter, i) => [letter, ALIKE[i]!]))
const latinOf = new Map(Array.from(ALIKE, (letter, i) => [letter, LATIN[i]!]))

const ZERO_WIDTH = '\u200b'
/** Characters without width: soft hyphen, zero-width blank, marks of direction, word joiner, byte order mark; joiners where they join nothing. */
const INVISIBLE =
  /[\u00ad\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]|(?<![\p{Lo}\p{M}\p{So}\p{Sk}\p{Cf}])[\u200c\u200d]/gu

/** Forms that editors put in the place of ASCII; normalise turns them back. */
const typographic: readonly (readonly [from: string, to: string])[] = [
  ["'", '\u2019'],
  ['"', '\u201d'],
  ['...', '\u2026'],
  ['--', '\u2014'],
  ['-', '\u2010'],
  ['ffi', '\ufb03'],
  ['fi', '\ufb01'],
  ['fl', '\ufb02'],
]
const typographicOf = new Map(typographic)

/** Neighbours on a keyboard, row by row. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

function neighbour(letter: string, stream: Stream): string {
  const row = ROWS.find((keys) => keys.includes(letter.toLowerCase())) ?? ROWS[0]!
  const at = row.indexOf(letter.toLowerCase())
  const near = row[at > 0 && stream.below(2) === 0 ? at - 1 : at + 1] ?? row[at - 1]!
  return letter === letter.toLowerCase() ? near : near.toUpperCase()
}

/** Makes one typo: two letters swapped, one left out, doubled, or hit beside. */
function mistyped(word: string, stream: Stream): string {
  const at = 1 + stream.below(word.length - 2)
  const [before, letter, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)]
  const kind = stream.below(4)
  if (kind === 0) return `${before}${after[0]}${letter}${after.slice(1)}`
  if (kind === 1) return `${before}${after}`
  return `${before}${kind === 2 ? letter + letter : neighbour(letter, stream)}${after}`
}

const NEGATABLE =
  /\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|did|does)\b(?! not\b|n['’]t)/g

/** The places where an edit applies, and what it writes there. */
interface CharacterEdit {
  readonly places: RegExp
  readonly change: (found: string, stream: Stream) => string
}

const MARKDOWN =
  /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?=\S)|```.*$)|(?:\*\*|__|~~|`)|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|!?\[([^\]\n]*)\]\([^)\n]*\)/gm

const edits = {
  case: { places: /\p{Lu}[\p{L}\p{M}]*/gu, change: (word) => word.toLowerCase() },
  whitespace: { places: / +/g, change: (blank, stream) => [`${blank} `, '\u00a0', '\t'][stream.below(3)]! },
  punctuation: { places: /[,;:.!?'"()]/g, change: () => '' },
  unicode: {
    places: /ffi|fi|fl|\.\.\.|--|['"-]|[\u00c0-\u024f]/g,
    change: (found) => typographicOf.get(found) ?? found.normalize('NFD'),
  },
  typos: { places: /[A-Za-z]{4,}/g, change: mistyped },
  homoglyphs: {
    places: new RegExp(`[${LATIN}]`, 'g'),
    change: (letter) => homoglyphOf.get(letter)!,
  },
  zeroWidth: { places: /[A-Za-z](?=[A-Za-z])/g, change: (letter) => letter + ZERO_WIDTH },
  markdown: { places: MARKDOWN, change: (found) => /\[([^\]\n]*)\]\(/.exec(found)?.[1] ?? '' },
  retokenise: { places: /(?!)/g, change: (found) => found },
  negate: { places: NEGATABLE, change: (verb) => `${verb} not` },
} satisfies Record<string, CharacterEdit>

/** Kinds of edits of characters. `negate` flips the meaning of clauses (piggyback); `retokenise` only decodes and encodes. */
export type CharacterEditName = keyof typeof edits

export const characterEditNames = Object.keys(edits) as CharacterEditName[]

/** Tells whether an attack edits characters, and so needs a tokenizer. */
export const isCharacterEdit = ({ id }: { readonly id: string }): boolean =>
  Object.hasOwn(edits, id.split('(')[0]!)

/**
 * Returns an edit of characters: `rate` is the share of the places where it applies, by default all.
 * @example
 * const edit = characterEdit('homoglyphs', { rate: 1 })
 * const hidden = await edit.apply('a cat', { seed: 1 })
 * hidden === 'a cat' // false: it only looks the same
 * normalise(hidden) // 'a cat'
 */
export function characterEdit(name: CharacterEditName, options: { readonly rate?: number } = {}): TextAttack {
  oneOf('name', name, characterEditNames)
  requireOptions('characterEdit', options, ['rate'])
  const rate = number('rate', options.rate ?? 1, 0, 1)
  const { places, change }: CharacterEdit = edits[name]
  const id = `${name}(rate=${rate})`
  return {
    id,
    async apply(text, options) {
      requireOptions('characterEdit', options, ['seed', 'prompt'])
      checkText('text', text)
      const stream = seededRandom(options.seed, 'attack', id)
      const found = [...text.matchAll(places)]
      const chosen = new Set(distinctPositions(stream, Math.round(rate * found.length), found.length))
      let [result, copied] = ['', 0]
      for (const [i, { 0: piece, index }] of found.entries()) {
        if (!chosen.has(i)) continue
        result += text.slice(copied, index) + change(piece, stream)
        copied = index + piece.length
      }
      return result + text.slice(copied)
    },
  }
}

/** Tells whether a text has letters of other scripts than Latin that no Latin letter looks like: then look-alikes may be meant. */
const hasOtherScript = (text: string): boolean =>
  Array.from(text.matchAll(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu)).some(
    ([letter]) => !latinOf.has(letter),
  )

/**
 * Undoes edits that leave no doubt: invisible characters, look-alikes in words with Latin letters (in texts without other Cyrillic or Greek letters,
 * anywhere), compatibility forms (NFKC), typographic quotes, dashes and blanks, and runs of blanks. It reads no key, so p-values of normalised
 * texts are valid. What it cannot know stays: case, typos, punctuation left out.
 * @example normalise('“сat”\u200b  and\u00a0dog…') // '"cat" and dog...'
 */
export function normalise(text: string): string {
  checkText('text', text)
  const plain = text
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201b\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u201f]/g, '"')
    .replace(/[\u2010\u2011\u2212]/g, '-')
    .replace(/[\u2014\u2015]/g, '--')
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t\u2028\u2029\p{Zs}]+/gu, ' ')
  const everywhere = !hasOtherScript(plain)
  const inLatin = plain.replace(WORD, (word) =>
    everywhere || /\p{Script=Latin}/u.test(word)
      ? word.replace(/[^\p{ASCII}]/gu, (letter) => latinOf.get(letter) ?? letter)
      : word,
  )
  // what one step leaves may be a place for another, such as a letter and its accent
  return inLatin === text ? text : normalise(inLatin)
}
