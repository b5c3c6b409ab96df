/**
 * Porter's suffix stripping ("An algorithm for suffix stripping", Program 14.3, 1980) with the deviations of NLTK's default mode,
 * which is the stemmer that `rouge_score` applies. They differ on common words (`dies`, `enjoy`, `sky`), so ROUGE with
 * stemming is only comparable with this variant. Words are lower-case; anything that is not a vowel counts as a consonant.
 */
import { wrongType } from '../../input.ts'

/** Forms that NLTK looks up before any rule. */
const IRREGULAR: Readonly<Record<string, string>> = {
  sky: 'sky',
  skies: 'sky',
  dying: 'die',
  lying: 'lie',
  tying: 'tie',
  news: 'news',
  innings: 'inning',
  inning: 'inning',
  outings: 'outing',
  outing: 'outing',
  cannings: 'canning',
  canning: 'canning',
  howe: 'howe',
  proceed: 'proceed',
  exceed: 'exceed',
  succeed: 'succeed',
}

/** Tells whether a letter is a consonant: `y` at the start and after a vowel. */
function isConsonant(word: string, i: number): boolean {
  const letter = word[i]!
  if ('aeiou'.includes(letter)) return false
  return letter !== 'y' || i === 0 || !isConsonant(word, i - 1)
}

/** Returns Porter's m in [C](VC){m}[V]: how often a consonant follows a vowel. */
function measure(stem: string): number {
  let m = 0
  for (let i = 1; i < stem.length; i++) if (isConsonant(stem, i) && !isConsonant(stem, i - 1)) m++
  return m
}

const hasVowel = (stem: string): boolean => [...stem].some((_, i) => !isConsonant(stem, i))

const endsDoubleConsonant = (word: string): boolean =>
  word.length >= 2 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1)

/** Tests Porter's *o, consonant-vowel-consonant with the last not w, x or y; NLTK adds vowel-consonant as a whole word. */
function endsShort(word: string): boolean {
  const n = word.length
  if (n === 2) return !isConsonant(word, 0) && isConsonant(word, 1)
  return (
    n >= 3 &&
    isConsonant(word, n - 3) &&
    !isConsonant(word, n - 2) &&
    isConsonant(word, n - 1) &&
    !'wxy'.includes(word[n - 1]!)
  )
}

/** suffix, replacement, and the condition on what stands before the suffix. */
type Rule = readonly [suffix: string, replacement: string, condition: (stem: string) => boolean]

/** Applies the first rule whose suffix fits, or none when its condition then fails. */
function apply(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement, condition] of rules)
    if (word.endsWith(suffix)) {
      const stem = word.slice(0, word.length - suffix.length)
      return condition(stem) ? stem + replacement : word
    }
  return word
}

const always = () => true
const m0 = (stem: string) => measure(stem) > 0
const m1 = (stem: string) => measure(stem) > 1

const PLURALS: readonly Rule[] = [
  ['sses', 'ss', always],
  ['ies', 'i', always],
  ['ss', 'ss', always],
  ['s', '', always],
]

const STEP2: readonly Rule[] = [
  ['ational', 'ate', m0],
  ['tional', 'tion', m0],
  ['enci', 'ence', m0],
  ['anci', 'ance', m0],
  ['izer', 'ize', m0],
  ['bli', 'ble', m0],
  ['alli', 'al', m0],
  ['entli', 'ent', m0],
  ['eli', 'e', m0],
  ['ousli', 'ous', m0],
  ['ization', 'ize', m0],
  ['ation', 'ate', m0],
  ['ator', 'ate', m0],
  ['alism', 'al', m0],
  ['iveness', 'ive', m0],
  ['fulness', 'ful', m0],
  ['ousness', 'ous', m0],
  ['aliti', 'al', m0],
  ['iviti', 'ive', m0],
  ['biliti', 'ble', m0],
  ['fulli', 'ful', m0],
  ['logi', 'log', (stem) => m0(`${stem}l`)], // the l counts, so that geology and theology are reached
]

const STEP3: readonly Rule[] = [
  ['icate', 'ic', m0],
  ['ative', '', m0],
  ['alize', 'al', m0],
  ['iciti', 'ic', m0],
  ['ical', 'ic', m0],
  ['ful', '', m0],
  ['ness', '', m0],
]

const bare = (suffix: string): Rule => [suffix, '', m1]
const STEP4: readonly Rule[] = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent'].map(bare),
  ['ion', '', (stem) => m1(stem) && 'st'.includes(stem.at(-1)!)],
  ...['ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'].map(bare),
]

function plural(word: string): string {
  if (word.length === 4 && word.endsWith('ies')) return `${word[0]}ie`
  return apply(word, PLURALS)
}

function pastAndGerund(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, -3) + (word.length === 4 ? 'ie' : 'i')
  if (word.endsWith('eed')) return apply(word, [['eed', 'ee', m0]])
  const suffix = ['ed', 'ing'].find((end) => word.endsWith(end) && hasVowel(word.slice(0, -end.length)))
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsDoubleConsonant(stem)) return 'lsz'.includes(stem.at(-1)!) ? stem : stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

const finalY = (word: string): string =>
  apply(word, [['y', 'i', (stem) => stem.length > 1 && isConsonant(stem, stem.length - 1)]])

function doubleSuffix(word: string): string {
  if (word.endsWith('alli') && m0(word.slice(0, -4))) return doubleSuffix(word.slice(0, -2))
  return apply(word, STEP2)
}

function finalE(word: string): string {
  if (!word.endsWith('e')) return word
  const stem = word.slice(0, -1)
  const m = measure(stem)
  return m > 1 || (m === 1 && !endsShort(stem)) ? stem : word
}

const finalLL = (word: string): string =>
  word.endsWith('ll') && m1(word.slice(0, -1)) ? word.slice(0, -1) : word

/**
 * Returns the stem of a lower-case word as NLTK's `PorterStemmer()` gives it.
 *
 * @example porterStem('generalizations') // 'gener'
 */
export function porterStem(word: string): string {
  if (typeof word !== 'string') throw wrongType('word', 'a string', word)
  if (Object.hasOwn(IRREGULAR, word)) return IRREGULAR[word]!
  if (word.length <= 2) return word
  let stem = doubleSuffix(finalY(pastAndGerund(plural(word))))
  stem = apply(apply(stem, STEP3), STEP4)
  return finalLL(finalE(stem))
}
