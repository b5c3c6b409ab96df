/** Evidence made by a law rather than by a text: scores are given, contexts are fresh. */
import type { Evidence } from '../../../core/detect/index.ts'
import type { Context, ContextRule } from '../../../core/keys/index.ts'
import type { Term } from '../engine/convolved-tail.ts'

/** Scores of pairs of context and token that each occur `times` times. */
export interface GivenScores {
  readonly scores: Float64Array
  readonly times: Int32Array
}

/** Gathers how often each pair occurs. */
export function termsOf(times: Int32Array): Term[] {
  const copies = new Map<number, number>()
  for (const count of times) copies.set(count, (copies.get(count) ?? 0) + 1)
  return Array.from(copies, ([count, number]) => ({ times: count, copies: number }))
}

/** Makes the evidence that a detector would see of a text with these scores. */
export function evidenceOf({ scores, times }: GivenScores, rule: ContextRule, vocabSize: number): Evidence {
  const pairs = Array.from(times).flatMap((count, pair) => Array<number>(count).fill(pair))
  // no context names token 0 or is left out by a rule of the detector's own
  const context = Array.from(scores, (_, pair): Context => [pair + 1, pair + 1])
  const tokens = pairs.map((pair) => pair % vocabSize)
  const score = (_token: number, [name]: Context): number => scores[name! - 1] ?? 0
  return {
    tokens,
    vocabSize,
    alpha: 0.01,
    rule,
    contexts: pairs.map((pair) => context[pair]!),
    score,
    scoreEach: () => Float64Array.from(pairs, (pair) => scores[pair]!),
    scores(several, context, _run, out) {
      for (let i = 0; i < several.length; i++) out[i] = score(several[i]!, context)
      return out
    },
    scoresUnder(several, own, out) {
      for (let i = 0; i < several.length; i++) out[i] = score(several[i]!, own[i]!)
      return out
    },
  }
}
