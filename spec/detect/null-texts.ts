/** Texts that know nothing of any key: random tokens, and texts made of few phrases that repeat a great deal. */
import { type Stream, seededRandom } from '../../src/core/keys/stream.ts'

export const nullVocabulary = 50

const randomTokens = (stream: Stream, length: number): number[] =>
  Array.from({ length }, () => stream.below(nullVocabulary))

/** Phrases of 2 to 6 tokens from a small set, one after the other. */
function repetitiveTokens(stream: Stream, length: number): number[] {
  const phrases = Array.from({ length: 4 }, () => randomTokens(stream, 2 + stream.below(5)))
  const tokens: number[] = []
  while (tokens.length < length) tokens.push(...phrases[stream.below(phrases.length)]!)
  return tokens.slice(0, length)
}

export const nullTexts = { random: randomTokens, repetitive: repetitiveTokens }

/** Text i of a kind, the same for every method. */
export const nullText = (kind: keyof typeof nullTexts, seed: string, i: number, length: number): number[] =>
  nullTexts[kind](seededRandom(seed, kind, i), length)
