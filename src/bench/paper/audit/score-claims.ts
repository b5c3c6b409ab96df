/** Sentences about the three scores, read on the printed scores and on the recomputed ones. */
import { type Method, methods } from '../methods.ts'
import type { Tables } from '../tables/index.ts'
import type { Claim } from './claims.ts'
import { type Axis, auditScore } from './scores.ts'

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

export function scoreClaims(tables: Tables): Claim[] {
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
