/** Everything against everything: which law rejects which mutant. `npm run mutants` prints it and writes reports/mutants.md. */
import { allLaws, type LawVerdict } from '../../src/laws/index.ts'
import { claims } from './claims.ts'
import { detection } from './detection.ts'
import type { Mutant } from './mutant.ts'
import { randomness } from './randomness.ts'
import { reweighting } from './reweighting.ts'
import { robustness } from './robustness.ts'
import { sequence } from './sequence.ts'
import { survivorSizes, survivors } from './survivors.ts'
import { verdictOn } from './verdict.ts'

export const allMutants: readonly Mutant[] = [
  ...reweighting,
  ...randomness,
  ...sequence,
  ...detection,
  ...claims,
  ...robustness,
]

interface Row {
  readonly mutant: Mutant
  readonly verdicts: readonly LawVerdict[]
}

const killed = ({ verdicts }: Row): boolean => verdicts.includes('fails')

/** X: rejected; a bold one was required. */
function cell({ mutant, verdicts }: Row, i: number): string {
  const name = allLaws[i]!.name
  if (verdicts[i] === 'holds') return '·'
  if (verdicts[i] === 'not applicable') return ' '
  return mutant.killedBy.includes(name) ? '**X**' : 'X'
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
  const kills = (i: number): number => rows.filter(({ verdicts }) => verdicts[i] === 'fails').length
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
    '| | law | rejects | and no other law does |',
    '|--:|---|--:|--:|',
    ...allLaws.map(({ name }, i) => `| ${i + 1} | ${name} | ${kills(i)} | ${alone(i)} |`),
  ]
}

const unseen = (): string[] => [
  '## What the default settings cannot see',
  '',
  'Sampled laws promise to see a bias of 0.02 in total variation per step (0.05 over texts and in the law of codes) and miss it',
  'with probability at most 1e-3. Smaller mistakes pass unless an orbit or a list of codes makes them exact:',
  '',
  '| mistake | its size | seen with |',
  '|---|---|---|',
  ...survivorSizes.map(({ name, size, seenWith }) => `| ${name} | ${size} | ${seenWith} |`),
]

/** Checks every mutant against every law; `tell` hears of each as it is done. */
export async function killTable(seed: number, tell: (line: string) => void): Promise<string> {
  const rows: Row[] = []
  const all = [...allMutants, ...survivors]
  for (const mutant of all) {
    const verdicts: LawVerdict[] = []
    for (const { name } of allLaws) verdicts.push((await verdictOn(mutant, name, seed)).verdict)
    rows.push({ mutant, verdicts })
    const by = allLaws.flatMap((_, i) => (verdicts[i] === 'fails' ? [i + 1] : []))
    tell(
      `${rows.length}/${all.length} ${mutant.family}: ${mutant.name}: ${by.length > 0 ? `law ${by.join(', ')}` : 'survives'}`,
    )
  }
  const tested = rows.slice(0, allMutants.length)
  return [
    '# Mutants',
    '',
    'Wrong watermarks, each a small change of a correct one, against every law at default settings (miss 1e-9). X: rejected, bold where',
    `the suite requires it; a dot: passed; blank: does not apply. Seed ${seed}.`,
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
