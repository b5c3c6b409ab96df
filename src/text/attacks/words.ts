/** Words of English texts, and which of them carry the content. */

/** A word: letters, with apostrophes and hyphens inside. */
export const WORD = /\p{L}+(?:['’-]\p{L}+)*/gu

/** Closed-class words; WordNet lists many of them as rare nouns (a, as, at, he, in, it, no, who). */
export const FUNCTION_WORDS = new Set(
  (
    'a about above across after again against all along am among an and any are as at be because been before behind being ' +
    'below between beyond both but by can could did do does doing down during each either ere every except few for from had has ' +
    'have having he hence her here hers herself him himself his how however i if in into is it its itself least less let like ' +
    'many may me might mine more most much must my myself nay near neither no none nor not nothing of off on once one only onto ' +
    'or other others ought our ours out over own per same shall she should since so some such than that the thee their theirs ' +
    'them then thence there therefore these they thine this those thou though through thus thy till to too toward towards under ' +
    'until unto up upon us very was we well were what when where whether which while who whom whose why will with within ' +
    'without would yea yes yet you your yours yourself two three four five six seven eight nine ten hundred thousand first second'
  ).split(' '),
)

/** Forms with an apostrophe count as their first part: `it's`, `don't`. */
const stem = (word: string): string => word.toLowerCase().replace(/(?:n['’]t|['’]\p{L}+)$/u, '')

/** Tells whether a word carries content: nouns, verbs, adjectives, names; not articles, pronouns, prepositions, auxiliaries. */
export const isContent = (word: string): boolean => !FUNCTION_WORDS.has(stem(word)) && stem(word).length > 1

export const contentWords = (text: string): string[] =>
  Array.from(text.matchAll(WORD), ([word]) => word)
    .filter(isContent)
    .map((word) => word.toLowerCase())
