/** Sentences of the text that the tables can confirm or refute, each with the figures that decide. */
import { isUnbiased, type Method, methods } from '../methods.ts'
import { attacks } from '../scores.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'
import { type Axis, auditScore } from './scores.ts'

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

type Reading = 'printed' | 'recomputed'
const fixed = (x: number, digits = 3): string => x.toFixed(digits)

/** A claim about scores is read twice: on the printed scores and on the recomputed ones. */
function onScores(claim: string, holds: (reading: Reading) => boolean, evidence: string): Claim {
  const [printed, recomputed] = [holds('printed'), holds('recomputed')]
  const verdict =
    printed === recomputed
      ? printed
        ? 'holds'
        : 'fails'
      : printed
        ? 'holds as printed, fails recomputed'
        : 'fails as printed, holds recomputed'
  return { claim, verdict, evidence }
}

const top: readonly Method[] = ['mcmark(channels=10)', 'mcmark(channels=20)', 'synthid']
const strong: readonly Method[] = ['unigram(delta=2)', 'kgw(delta=2)']
const balanced = methods.filter((m) => m.startsWith('mcmark') || m === 'synthid')
const faithful = methods.filter((m) => /^(dipmark|gammaReweight|sta1)/.test(m))

function scoreClaims(tables: Tables): Claim[] {
  const score = (method: Method, axis: Axis, reading: Reading): number =>
    auditScore(method, axis, tables)[reading]
  const ranking = (axis: Axis, reading: Reading): Method[] =>
    methods.toSorted((a, b) => score(b, axis, reading) - score(a, axis, reading))
  const list = (names: readonly Method[], axis: Axis, reading: Reading): string =>
    names.map((m) => `${m} ${fixed(score(m, axis, reading), reading === 'printed' ? 3 : 4)}`).join(', ')
  const both = (names: readonly Method[], axis: Axis): string =>
    `printed: ${list(names, axis, 'printed')}; recomputed: ${list(names, axis, 'recomputed')}`
  const first = (reading: Reading): Method[] => ranking('detectability', reading).slice(0, 3)
  const rank = (reading: Reading): number => ranking('detectability', reading).indexOf(strong[0]!) + 1
  const below = (axis: Axis, reading: Reading): boolean =>
    strong.every((s) => top.every((t) => score(s, axis, reading) < score(t, axis, reading)))
  const allAbove = (names: readonly Method[], axis: Axis, floor: number) => (reading: Reading) =>
    names.every((m) => score(m, axis, reading) > floor)

  return [
    onScores(
      'MCmark (n=10/20) and SynthID have the strongest detectability (top of the scatter plot)',
      (r) => first(r).every((m) => top.includes(m)),
      `the three highest, printed: ${list(first('printed'), 'detectability', 'printed')}; recomputed: ${list(first('recomputed'), 'detectability', 'recomputed')}`,
    ),
    onScores(
      'Unigram (δ=2) and KGW (δ=2) are more robust than MCmark (n=10/20) and SynthID, at lower unbiasedness',
      (r) =>
        below('unbiasedness', r) &&
        strong.every((s) => top.every((t) => score(s, 'robustness', r) > score(t, 'robustness', r))),
      `robustness ${list(strong, 'robustness', 'printed')} against ${list(top, 'robustness', 'printed')}`,
    ),
    onScores(
      '... and at lower detectability',
      (r) => below('detectability', r),
      both([...strong, ...top], 'detectability'),
    ),
    onScores(
      'Unigram (δ=2) attains the highest robustness (0.855)',
      (r) =>
        ranking('robustness', r)[0] === strong[0] && fixed(score(strong[0]!, 'robustness', r)) === '0.855',
      list(ranking('robustness', 'recomputed').slice(0, 2), 'robustness', 'recomputed'),
    ),
    onScores(
      '... despite relatively low detectability (0.903)',
      (r) => rank(r) > 3,
      `rank of Unigram (δ=2) in detectability: ${rank('printed')} of 19 as printed, ${rank('recomputed')} of 19 recomputed from table 3`,
    ),
    onScores(
      'MCmark variants and SynthID have detectability > 0.945',
      allAbove(balanced, 'detectability', 0.945),
      both(balanced, 'detectability'),
    ),
    onScores(
      'MCmark variants and SynthID have unbiasedness > 0.965',
      allAbove(balanced, 'unbiasedness', 0.965),
      both(['synthid'], 'unbiasedness'),
    ),
    onScores(
      'DiPmark and STA-1 have unbiasedness > 0.98',
      allAbove(faithful, 'unbiasedness', 0.98),
      both(faithful, 'unbiasedness'),
    ),
    onScores(
      'DiPmark and STA-1 have detectability < 0.72',
      (r) => faithful.every((m) => score(m, 'detectability', r) < 0.72),
      both(faithful, 'detectability'),
    ),
  ]
}

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
