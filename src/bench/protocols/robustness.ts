/** Tables 4 to 6: TPR after attacks, at one guaranteed false-positive rate each. */

import type { Cell } from '../cells/cell.ts'
import type { Plan, TextSet } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { levels, rateAt } from '../report/rates.ts'
import type { Column, Row, Table } from '../report/report.ts'
import { counted } from '../report/sentence.ts'
import { mean } from '../report/values.ts'
import { type Method, none } from '../study/methods.ts'
import type { StudiedAttack } from '../study/study.ts'
import { certifiedChart, certifiedTable, certifyCells } from './certified.ts'
import { humanFalsePositives } from './human.ts'
import type { Protocol, ProtocolOptions } from './protocol.ts'
import { alarms, type Cells, methodRow, paperFigure, unmarkedTests } from './rows.ts'
import { robustnessSentences } from './sentences.ts'

interface Attacked {
  readonly texts: readonly TextSet[]
  readonly tests: readonly Cell[]
}

/** A method's texts after one attack, and their tests. */
export function attackedBy(
  plan: Plan,
  method: Method,
  attack: StudiedAttack,
  trial = 0,
  most?: number,
): Attacked {
  const texts = plan
    .openSources()
    .map(({ model, data }) => plan.attacked(method, plan.open(method, model, data), attack, trial, most))
  return { texts, tests: texts.flatMap((set) => plan.detect(method, set, { attacked: true, texts: most })) }
}

/** Unwatermarked texts after an attack, under the keys of one method: what false positives look like then. */
function plainAttacked(plan: Plan, method: Method, attack: StudiedAttack): Cell[] {
  return plan.openSources().flatMap(({ model, data }) =>
    plan.detect(method, plan.attacked(none, plan.open(undefined, model, data), attack, 0), {
      attacked: true,
    }),
  )
}

/** The rows: permutations alone are not tried after attacks, which would take hours. */
const rowsOf = (plan: Plan): Method[] =>
  plan.detected.filter(({ alignment, guaranteed }) => guaranteed || !alignment)

/** Detectors that are fast enough to test every attacked text without a watermark too. */
const fast = (plan: Plan): Method[] => plan.methods.filter((method) => !method.alignment)

/** ln p of a method's texts after an attack. */
export const attackedLogP = (plan: Plan, results: Results, method: Method, attack: StudiedAttack): number[] =>
  results.logP(attackedBy(plan, method, attack).tests)

function ratesRow(plan: Plan, results: Results, method: Method, { rate, id }: (typeof levels)[number]): Row {
  const cells: Cells = {}
  for (const attack of plan.study.attacks) {
    const paper = attack.paper && paperFigure(method, `attackedAt${id}`, attack.paper)
    cells[attack.id] = rateAt(attackedLogP(plan, results, method, attack), rate, paper)
  }
  cells.unmarked = rateAt(results.logP(unmarkedTests(plan, method)), rate)
  cells.human = humanFalsePositives(plan, results, method, 'whole', rate)
  return methodRow(method, cells)
}

function plainRow(plan: Plan, results: Results, rate: number): Row {
  const cells: Cells = {}
  for (const attack of plan.study.attacks) {
    const all = fast(plan).map((method) => results.logP(plainAttacked(plan, method, attack)))
    const note = 'false positives, mean over the guaranteed detectors but the alignment tests'
    cells[attack.id] = alarms(all, rate, note)
  }
  return methodRow(none, { ...cells, unmarked: null, human: null })
}

/** Measures of an attack: edits as a share of the tokens, and the triples and content words that are left. */
const changes = [
  {
    name: 'distance',
    title: 'What the attacks changed',
    caption: 'Edit distance between a text and what became of it, as a share of its tokens; mean over texts.',
  },
  {
    name: 'triples',
    title: 'Triples that are left',
    caption:
      'Share of the triples of a text, two tokens of context and a token, that are still in what became of it; mean over texts.',
  },
  {
    name: 'words',
    title: 'Content words that are left',
    caption:
      'Share of the content words of a text (no articles, pronouns, prepositions, auxiliaries) that are still in what became of it; mean over texts.',
  },
] as const

function changeTable(
  plan: Plan,
  results: Results,
  { name, title, caption }: (typeof changes)[number],
): Table {
  const columns = plan.study.attacks.map(({ id, label }) => ({ id, label, unit: 'percent' as const }))
  const per = name === 'distance' ? plan.study.open.tokens : 1
  const rows = plan.methods.map((method): Row => {
    const cells: Cells = {}
    for (const attack of plan.study.attacks) {
      const sets = attackedBy(plan, method, attack).texts
      const values = sets.flatMap((set) =>
        results.change(
          set.blocks.map((block) => block.cell),
          name,
        ),
      )
      cells[attack.id] = mean(values.map((value) => value / per))
    }
    return methodRow(method, cells)
  })
  return { id: name, title, caption, columns, rows }
}

/** What is left of the meaning of texts without a watermark; none where no encoder compared them, or no such texts were attacked. */
function meaningTable(plan: Plan, results: Results): Table[] {
  if (fast(plan).length === 0) return []
  const cells: Cells = {}
  for (const attack of plan.study.attacks) {
    const blocks = plan
      .openSources()
      .flatMap(({ model, data }) => plan.attacked(none, plan.open(undefined, model, data), attack, 0).blocks)
    const values = results.change(
      blocks.map(({ cell }) => cell),
      'meaning',
    )
    cells[attack.id] = values.length < 2 ? null : mean(values)
  }
  if (Object.values(cells).every((cell) => cell === null)) return []
  const columns = plan.study.attacks.map(({ id, label }) => ({ id, label, unit: 'number' as const }))
  return [
    {
      id: 'meaning',
      title: 'Meaning that is left',
      caption:
        'BERTScore F1 of what became of a text without a watermark against the text: 1 is the text itself, 0 what unrelated texts of the model have; mean over the first texts of each block.',
      columns: columns.map((column) => ({ ...column, digits: 2 })),
      rows: [methodRow(none, cells)],
    },
  ]
}

/** The cells of measured false positives: unwatermarked texts, and human-written text. */
const falsePositiveCells = (plan: Plan): Cell[] =>
  rowsOf(plan).flatMap((method) => [...unmarkedTests(plan, method), ...plan.human(method, 'whole')])

/** Attacks that are tried on fewer texts than there are. */
function attackedTextsNote(plan: Plan): string[] {
  const fewer = plan.study.attacks.filter(({ texts = Infinity }) => texts < plan.study.open.prompts)
  return fewer.map(
    ({ label, texts }) =>
      `${label} is tried on the first ${counted(texts!, 'text')} of each model and dataset.`,
  )
}

const rateOf = (options: ProtocolOptions) => {
  const found = levels.find(({ rate }) => rate === options.rate)
  if (!found)
    throw new RangeError(`rate: expected one of ${levels.map((r) => r.rate).join(', ')}, got ${options.rate}`)
  return found
}

export const robustness: Protocol = {
  uses: ['open', 'attacks'],
  cells: (plan, options) => [
    ...plan.study.attacks.flatMap((attack) => [
      ...rowsOf(plan).flatMap((method) => attackedBy(plan, method, attack).tests),
      ...fast(plan).flatMap((method) => plainAttacked(plan, method, attack)),
    ]),
    ...falsePositiveCells(plan),
    ...(options.details
      ? plan.methods.flatMap((method) => certifyCells(plan, method, rateOf(options).rate))
      : []),
  ],
  say: (told, options) => robustnessSentences(told, rateOf(options), options.details === true),
  report(plan, results, options) {
    const rate = rateOf(options)
    const rows = [
      plainRow(plan, results, rate.rate),
      ...rowsOf(plan).map((method) => ratesRow(plan, results, method, rate)),
    ]
    const columns: Column[] = [
      ...plan.study.attacks.map(({ id, label, paper }) => ({
        id,
        label,
        group: paper ? "the paper's attacks" : 'more attacks',
        unit: 'percent' as const,
        better: 'higher' as const,
      })),
      { id: 'unmarked', label: 'unwatermarked texts', group: 'measured false positives', unit: 'percent' },
      { id: 'human', label: 'human-written text', group: 'measured false positives', unit: 'percent' },
    ]
    const { alignment } = plan.study
    const charts = options.details ? [certifiedChart(plan, results, rate.rate)] : []
    return {
      notes: [
        'The same texts as in table 3, attacked; detectors and keys are the same. Measured false positives are without an attack.',
        ...attackedTextsNote(plan),
        ...(plan.methods.some((method) => method.alignment)
          ? [
              `Alignment tests get the first ${counted(alignment.texts, 'text')}, with at most ${counted(alignment.attackedRuns, 'permutation run')}. Permutations alone give p-values down to ${(2 / (1 + alignment.attackedRuns)).toPrecision(1)}; below, only the shift bound counts, which insertions and deletions weaken.`,
            ]
          : []),
        ...plan.study.settings,
      ],
      tables: [
        {
          id: `robustness-${rate.id}`,
          title: `TPR at FPR ${rate.label} after attacks`,
          caption:
            'The row without a watermark gives false positives after the same attack, as the mean over the guaranteed detectors. A "published test" is that of the published code: see the measured false positives beside it.',
          columns,
          rows,
        },
        ...(options.details
          ? [
              certifiedTable(plan, results, rate.rate),
              ...changes.map((change) => changeTable(plan, results, change)),
              ...meaningTable(plan, results),
            ]
          : []),
      ],
      charts: charts.filter((chart) => chart.points.length > 0),
    }
  },
}
