/** Sentences of the text that the tables can confirm or refute, each with the figures that decide. */
import type { Tables } from '../tables/index.ts'
import { scoreClaims } from './score-claims.ts'
import { tableClaims } from './table-claims.ts'

export type ClaimVerdict =
  | 'holds'
  | 'fails'
  | 'holds as printed, fails recomputed'
  | 'fails as printed, holds recomputed'
  | 'not checkable'

export interface Claim {
  readonly claim: string
  readonly verdict: ClaimVerdict
  readonly evidence: string
}

const beyondTheTables: readonly Claim[] = [
  {
    claim: 'The standard deviation of p-values under DIPPER is roughly four times that under Random 30%',
    verdict: 'not checkable',
    evidence: 'no table holds p-values under attack or their spread; only a picture does',
  },
  {
    claim: 'Mean and standard deviation of TPR and AUC over seeds of the paraphraser are reported',
    verdict: 'not checkable',
    evidence: 'no table holds them',
  },
  {
    claim: 'The false-positive rates 5%, 1%, 0.1% are theoretically guaranteed',
    verdict: 'not checkable',
    evidence: 'no table holds a measured false-positive rate',
  },
  {
    claim: 'The trade-offs are shown by the scatter plot of Figure 2 (fig:high_var)',
    verdict: 'fails',
    evidence: 'the scatter plot is Figure 1 (fig:overall_tradeoff); Figure 2 shows the variance of p-values',
  },
]

/** All claims with their verdicts. */
export const auditClaims = (tables: Tables): Claim[] => [
  ...scoreClaims(tables),
  ...tableClaims(tables),
  ...beyondTheTables,
]
