/** A text in pieces, one per token, and how much each speaks for the watermark: what colours show. */
import type { AnyWatermark } from '../../watermark.ts'
import { lawFor } from './null-laws.ts'

/** One token's text and score; NaN where it was not scored. */
export interface Piece {
  readonly text: string
  readonly score: number
}

/** Each token's own text. Tokens that are part of a character are joined with what completes it. */
export function pieces(
  tokens: ArrayLike<number>,
  scores: Float64Array,
  decode: (tokens: number[]) => string,
): Piece[] {
  const out: Piece[] = []
  let start = 0
  for (let end = 1; end <= tokens.length; end++) {
    const text = decode(Array.prototype.slice.call(tokens, start, end))
    if (text.endsWith('\ufffd') && end < tokens.length && end - start < 4) continue
    out.push({ text, score: scores[end - 1]! })
    start = end
  }
  return out
}

/**
 * Returns a function from a score to its strength of evidence, in [0, 1]: 1/2 at `centre`, the mean of scores without a watermark (or else the middle
 * of the text's own range), 0 and 1 at the ends of that range: scores of different methods have different scales.
 */
export function strength(list: readonly Piece[], centre?: number): (score: number) => number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { score } of list) {
    if (score < low) low = score
    if (score > high) high = score
  }
  const middle = centre ?? (low + high) / 2
  const part = (distance: number, whole: number): number =>
    whole > 0 ? Math.min(1, distance / whole) / 2 : 0
  return (score) =>
    score >= middle ? 1 / 2 + part(score - middle, high - middle) : 1 / 2 - part(middle - score, middle - low)
}

/** The mean of a token's score without a watermark, where each token has one score. */
export const meanScore = ({ detector }: AnyWatermark, vocabSize: number): number | undefined =>
  detector?.id === 'sum' && detector.nullLaw ? lawFor(detector.nullLaw, vocabSize).mean : undefined
