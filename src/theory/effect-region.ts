/**
 * The token effect region: how many scores one edit can take away or add. With n-gram contexts the paper counts n + 1. That is
 * right when every token is scored, and not enough under the repeated-context rule, where an edit also uncovers later copies
 * of the contexts it destroys and steals first place from copies of those it makes: then it is 2n + 1.
 */

import type { ContextRule, Tokens } from '../core/keys/index.ts'
import { callable, integer, number, oneOf, requireOptions, wrongType } from '../input.ts'
import { checkText } from './checked.ts'
import type { EditKind } from './edits.ts'

/** The tokens that a detector scores: every token, the first occurrence of each context, or each (context, token) pair once. */
export type Scoring = 'every token' | 'first occurrence' | 'distinct pairs'

/** Scores that one edit can take away and add, at the most. */
export interface EffectRegion {
  readonly lost: number
  readonly gained: number
}

/**
 * Returns the effect region of one edit with contexts of n tokens.
 *
 * @example effectRegion('first occurrence', 2, 'substitution') // { lost: 5, gained: 5 }
 */
export function effectRegion(scoring: Scoring, n: number, edit: EditKind): EffectRegion {
  integer('n', n, 0)
  oneOf('edit', edit, ['substitution', 'insertion', 'deletion'])
  oneOf('scoring', scoring, ['every token', 'first occurrence', 'distinct pairs'])
  if (scoring === 'first occurrence') {
    // without a context all positions share the empty one: only the very first token is scored
    const most = n === 0 ? 1 : edit === 'substitution' ? 2 * n + 1 : 2 * n
    return { lost: most, gained: most }
  }
  return { lost: edit === 'insertion' ? n : n + 1, gained: edit === 'deletion' ? n : n + 1 }
}

/** Counts how often each scored (context, token) pair occurs. */
export function scoredPairs(
  rule: ContextRule,
  tokens: Tokens,
  skip: (token: number) => boolean = () => false,
): Map<string, number> {
  const pairs = new Map<string, number>()
  rule.scored(tokens, skip).forEach((context, t) => {
    if (context === undefined) return
    const pair = `${context.join()}|${tokens[t]}`
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  })
  return pairs
}

const missing = (from: Map<string, number>, to: Map<string, number>): number => {
  let count = 0
  for (const [pair, times] of from) count += Math.max(0, times - (to.get(pair) ?? 0))
  return count
}

/**
 * Counts the scores that two texts do not share under a context rule: a score depends on its context and token alone, so these are
 * the scored pairs of one that the other lacks. For one edit both counts are at most `rule.reach`.
 *
 * @example scoresChanged(ngram(1), [1, 2, 3], [1, 9, 3]) // { lost: 2, gained: 2 }
 */
export function scoresChanged(
  rule: ContextRule,
  before: Tokens,
  after: Tokens,
  skip?: (token: number) => boolean,
): EffectRegion {
  if (typeof rule?.begin !== 'function' || typeof rule.scored !== 'function')
    throw wrongType('rule', 'a context rule such as ngram(2)', rule)
  checkText('before', before)
  checkText('after', after)
  if (skip !== undefined) callable('skip', skip, 'a function of a token, or nothing')
  const [old, now] = [scoredPairs(rule, before, skip), scoredPairs(rule, after, skip)]
  return { lost: missing(old, now), gained: missing(now, old) }
}

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
 * Returns the expected fall of the summed score after one edit: scores that lose their context go from the watermarked mean to the null
 * mean. For a substitution (P - gamma)(n + 1), the paper's (2P - 1)/2 R at gamma = 1/2, and for SynthID (P_s - m/2) R.
 *
 * Conditions, all needed: an interior position (at least n tokens follow), every token scored, contexts that are fresh before
 * and after, and a new token that the model would hardly have chosen.
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
