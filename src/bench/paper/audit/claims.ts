/** Sentences of the text that the tables can confirm or refute, each with the figures that decide. */
import { isUnbiased, methods } from '../methods.ts'
import { attacks } from '../scores.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'
import { scoreClaims } from './score-claims.ts'

type ClaimVerdict =
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

/** Sentences about what the tables hold. */
function tableClaims({ scores, repeated, oneShot, attackedAt5, attackedAt1, attackedAt01 }: Tables): Claim[] {
  const order = scores.rows.map((row) => row.figures.detectability.value)
  const sorted = order.every((x, i) => i === 0 || order[i - 1]! >= x)
  const attacked = [attackedAt5, attackedAt1, attackedAt01]
  const harder = attacked.flatMap((table) =>
    table.rows.map(({ figures }) => attacks.every((a) => figures.DIPPER.value <= figures[a].value)),
  )
  const weak = methods.filter((m) => rowFor(attackedAt5, m).figures['Random 30%'].value < 0.5)
  const weakUnbiased = weak.filter(isUnbiased)
  const largest = Math.max(...scores.rows.flatMap(({ figures: f }) => Object.values(f).map((x) => x.value)))
  const none = Object.values(rowFor(repeated, 'none').figures).map((f) => f.printed)
  const metrics = Object.keys(oneShot.columns).join(', ')
  const verdict = (holds: boolean): ClaimVerdict => (holds ? 'holds' : 'fails')
  return [
    {
      claim: 'Table 7 is sorted by detectability',
      verdict: verdict(sorted),
      evidence: `${order.length} rows, ${sorted ? 'never increasing' : 'not in order'} as printed`,
    },
    {
      claim: 'The scores in the tables lie on [0, 100]',
      verdict: verdict(largest > 1),
      evidence: `the largest printed score is ${largest}; the formulas of the text give 100 times the printed scores`,
    },
    {
      claim: 'DIPPER is more challenging than random replacement',
      verdict: verdict(harder.every(Boolean)),
      evidence: `TPR under DIPPER is the lowest of the four attacks in ${harder.filter(Boolean).length} of ${harder.length} rows`,
    },
    {
      claim: 'Random replacement leads to consistently small p-values',
      verdict: verdict(weak.length === 0),
      evidence: `under Random 30% TPR at 5% is below one half, so the median p-value is above 0.05, for ${weak.length} of 19 methods (${weakUnbiased.length} of the ${methods.filter(isUnbiased).length} unbiased ones)`,
    },
    {
      claim: 'Table 2 reports the calibrated statistic DetWmk',
      verdict: verdict(none.every((x) => Number(x) === 0)),
      evidence: `its row "No watermark" is ${none.join(', ')}, so the figures are the gaps; DetWmk is a row minus that one`,
    },
    {
      claim: 'Summarization is reported with ROUGE-1/2/L',
      verdict: verdict(['ROUGE-2', 'ROUGE-L'].every((name) => metrics.includes(name))),
      evidence: `the columns of table 1 are ${metrics}`,
    },
  ]
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
