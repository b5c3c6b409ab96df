import type { WordScore } from '../../watermark.ts'

/** The fast path of a score that is a function of the token's own word, where codes are drawn from own randomness. */
export const ofOwnWord = (score: (word: number) => number): { readonly words: WordScore } => ({
  words: { indices: [-1, 0], score },
})
