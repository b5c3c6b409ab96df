/** Everything against everything: which law rejects which mutant. `npm run mutants` prints it and writes reports/mutants.md. */
import { allLaws, type LawVerdict } from '../../src/laws/index.ts'
import { claims } from './claims.ts'
import { detection } from './detection.ts'
import { drift } from './drift.ts'
import type { Mutant } from './mutant.ts'
import { pValues } from './p-values.ts'
import { randomness } from './randomness.ts'
import { reweighting } from './reweighting.ts'
import { robustness } from './robustness.ts'
import { sequence } from './sequence.ts'
import { sizes } from './sizes.ts'
import { survivorSizes, survivors } from './survivors.ts'
import { texts } from './texts.ts'
import { verdictOn } from './verdict.ts'

export const allMutants: readonly Mutant[] = [
  ...reweighting,
  ...randomness,
  ...sequence,
  ...texts,
  ...detection,
  ...claims,
  ...drift,
  ...robustness,
  ...pValues,
  ...sizes,
]

/** Those that must be rejected, then those that the default settings cannot see. */
export const tried: readonly Mutant[] = [...allMutants, ...survivors]

/** What a law says; that the watermark threw an error is told apart from what the law itself found. */
export type Outcome = LawVerdict | 'threw'

interface Row {
  readonly mutant: Mutant
  readonly verdicts: readonly Outcome[]
}

const killed = ({ verdicts }: Row): boolean => verdicts.includes('fails')

/** X: rejected, E: an error; a bold one was required. */
function cell({ mutant, verdicts }: Row, i: number): string {
  const marks: Record<Outcome, string> = { holds: '·', fails: 'X', threw: 'E', 'not applicable': ' ' }
  const mark = marks[verdicts[i]!]
  if (!mutant.killedBy.includes(allLaws[i]!.name)) return mark
  return verdicts[i] === 'fails' ? `**${mark}**` : '**missed**'
}

function table(rows: readonly Row[]): string[] {
  return [
    `| mutant | ${allLaws.map((_, i) => i + 1).join(' | ')} |`,
    `|---|${allLaws.map(() => ':-:|').join('')}`,
    ...rows.map((row) => `| ${row.mutant.name} | ${allLaws.map((_, i) => cell(row, i)).join(' | ')} |`),
  ]
}

function summary(rows: readonly Row[]): string[] {
  const families = [...new Set(rows.map(({ mutant }) => mutant.family))]
  const count = (i: number, outcome: Outcome): number =>
    rows.filter(({ verdicts }) => verdicts[i] === outcome).length
  const alone = (i: number): number =>
    rows.filter(
      ({ verdicts }) => verdicts[i] === 'fails' && verdicts.filter((v) => v === 'fails').length === 1,
    ).length
  return [
    `${rows.filter(killed).length} of ${rows.length} mutants are rejected.`,
    '',
    '| family | mutants | rejected |',
    '|---|--:|--:|',
    ...families.map((family) => {
      const own = rows.filter(({ mutant }) => mutant.family === family)
      return `| ${family} | ${own.length} | ${own.filter(killed).length} |`
    }),
    '',
    '| | law | rejects | and no other law does | hears an error |',
    '|--:|---|--:|--:|--:|',
    ...allLaws.map(
      ({ name }, i) => `| ${i + 1} | ${name} | ${count(i, 'fails')} | ${alone(i)} | ${count(i, 'threw')} |`,
    ),
  ]
}

const unseen = (): string[] => [
  '## What the default settings need not see',
  '',
  'Sampled laws promise to see a bias of 0.02 in total variation per step (0.05 over texts and in the law of codes) and miss it',
  'with probability at most 1e-3 (1e-9 here). Smaller mistakes pass in some runs or in all, unless an orbit or a list of codes makes them exact:',
  '',
  '| mistake | its size | | is seen for sure from | or with |',
  '|---|--:|---|--:|---|',
  ...survivorSizes.map(
    ({ name, size, where, promised, seenWith }) =>
      `| ${name} | ${size.toPrecision(2)} | ${where} | ${promised} | ${seenWith} |`,
  ),
]

/** What every law says about one mutant. */
export async function verdictsOn(mutant: Mutant, seed: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name } of allLaws) {
    const { verdict, detail } = await verdictOn(mutant, name, seed)
    outcomes.push(verdict === 'fails' && detail.startsWith('the watermark threw') ? 'threw' : verdict)
  }
  return outcomes
}

/** The laws, by number, that reject a mutant. */
export const rejectedBy = (verdicts: readonly Outcome[]): number[] =>
  verdicts.flatMap((verdict, i) => (verdict === 'fails' ? [i + 1] : []))

/** The report: `verdicts` of each that was tried, in order. */
export function killTable(seed: number, verdicts: readonly (readonly Outcome[])[]): string {
  const rows = tried.map((mutant, i): Row => ({ mutant, verdicts: verdicts[i]! }))
  const tested = rows.slice(0, allMutants.length)
  return [
    '# Mutants',
    '',
    'Wrong watermarks, each a small change of a correct one, against every law at default settings (miss 1e-9). X: rejected, bold where',
    'the suite requires it; E: the watermark refused with an error before the law could find anything; a dot: passed; blank: does not',
    `apply. Seed ${seed}: \`npm run mutants -- ${seed}\` gives this table again.`,
    '',
    ...summary(tested),
    '',
    ...[...new Set(tested.map(({ mutant }) => mutant.family))].flatMap((family) => [
      `## ${family}`,
      '',
      ...table(tested.filter(({ mutant }) => mutant.family === family)),
      '',
    ]),
    ...unseen(),
    '',
    ...table(rows.slice(allMutants.length)),
    '',
  ].join('\n')
}
