import type { ManyScores, Watermark, WordScore } from '../watermark.ts'

/** The indices of a token's own word alone. */
const OWN_WORD = [-1, 0]

/**
 * A score that is a function of the token's own word under the codes that `draw` draws: detection of many texts then needs no codes.
 * `score` is the general one, for any code.
 */
export const scoreOfWord = <Code>(
  score: Watermark<Code>['score'],
  draw: Watermark<Code>['draw'],
  ofWord: WordScore<Code>['score'],
  indices: readonly number[] = OWN_WORD,
): Watermark<Code>['score'] & ManyScores<Code> =>
  Object.assign(score, { words: { draw, indices, score: ofWord } })
