import type { ContextRule } from './rule.ts'

const nothing: readonly number[] = []

/** The same randomness at every position of every text (Unigram). Equal tokens share their score: detectors count types. */
export function fixed(): ContextRule {
  return {
    id: 'fixed()',
    reach: 1,
    recurs: true,
    begin: () => ({ next: () => nothing }),
    scored: (tokens, skip) =>
      Array.from({ length: tokens.length }, (_, t) => (skip(tokens[t]!) ? undefined : nothing)),
  }
}
