/**
 * The expected fall of the summed score when one token is edited: scores that lose their context go from the watermarked mean
 * to the null mean. For a substitution (P - gamma)(n + 1), the paper's (2P - 1)/2 R at gamma = 1/2, and for SynthID
 * (P_s - m/2) R.
 *
 * Conditions, all needed: an interior position (at least n tokens follow), every token scored, contexts that are fresh before
 * and after, and a new token that the model would hardly have chosen.
 */
import { integer, number, requireOptions } from '../input.ts'
import type { EditKind } from './edits.ts'
import { effectRegion } from './effect-region.ts'

export interface ExpectedDropOptions {
  /** Mean score of a watermarked token. */
  readonly mean: number
  /** Mean score of a token that was not watermarked. */
  readonly nullMean: number
  /** Tokens in a context. */
  readonly n: number
  readonly edit?: EditKind
}

/** The largest mean score: far below where products with the length of a context overflow. */
const MAX_MEAN = 1e100

/**
 * The expected fall of the sum after one edit.
 *
 * @example expectedDrop({ mean: 0.75, nullMean: 0.5, n: 2 }) // 0.75
 */
export function expectedDrop(options: ExpectedDropOptions): number {
  requireOptions('expectedDrop', options, ['mean', 'nullMean', 'n', 'edit'])
  const { mean, nullMean, n, edit = 'substitution' } = options
  number('mean', mean, 0, MAX_MEAN)
  number('nullMean', nullMean, 0, MAX_MEAN)
  const { lost, gained } = effectRegion('every token', integer('n', n, 0), edit)
  return lost * mean - gained * nullMean
}
