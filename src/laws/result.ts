/** From what was found to a result that a person can act on. */
import { type DistributionRule, renderRule } from './arbitraries/rule.ts'
import type { Found } from './for-all.ts'
import { fractions } from './fractions.ts'
import type { Counterexample, LawEvidence, LawResult, Trial } from './law.ts'

/** How a generated value is shown: its distribution as fractions, and whatever else it consists of. */
export type Shown = Pick<Counterexample, 'p' | 'also'>

/** A distribution over few tokens as fractions; over many, the call that makes it. */
export const showWeights = ({ w }: { readonly w: readonly number[] }): Shown => ({ p: fractions(w) })
export const showRule = ({ rule }: { readonly rule: DistributionRule }): Shown => ({
  also: `p = ${renderRule(rule)}`,
})

export const replayOf = (law: string, seed: number, path: string): string =>
  `checkWatermark(watermark, { laws: ['${law}'], seed: ${seed}, path: '${path}' })`

export function counterexampleOf<T>(
  law: string,
  trial: Trial,
  found: Found<T>,
  show: (value: T) => Shown,
): Counterexample {
  const path = found.path ?? ''
  return { ...show(found.value!), seed: trial.seed, path, replay: replayOf(law, trial.seed, path) }
}

/** The result of a law that was checked on generated values. */
export function resultOf<T>(
  law: string,
  trial: Trial,
  found: Found<T>,
  show: (value: T) => Shown,
  evidence: LawEvidence = { kind: 'exact', cases: found.cases },
  detail = evidence.kind === 'exact' ? `${found.cases} cases` : '',
): LawResult {
  if (found.why === undefined) return { law, verdict: 'holds', detail, evidence }
  return {
    law,
    verdict: 'fails',
    detail: found.why,
    evidence,
    counterexample: counterexampleOf(law, trial, found, show),
  }
}
