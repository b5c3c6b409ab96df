import type { ContextRule } from './rule.ts'
import type { Context } from './schedule.ts'

const nothing: Context = []

/**
 * The same randomness at every position of every text (Unigram). Equal tokens share their score: detectors count types.
 * @example fixed().recurs // true: equal tokens share their score
 */
export function fixed(): ContextRule {
  return {
    id: 'fixed()',
    reach: 1,
    recurs: true,
    lookback: 0,
    freshUpTo: 1,
    begin: () => ({ next: () => nothing }),
    follow: (skip) => (tokens, t) => (skip(tokens[t]!) ? undefined : nothing),
    scored(tokens, skip) {
      const contexts: (Context | undefined)[] = []
      for (let t = 0; t < tokens.length; t++) contexts.push(skip(tokens[t]!) ? undefined : nothing)
      return contexts
    },
  }
}
