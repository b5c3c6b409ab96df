/** Tables 4 to 6: TPR after attacks, at one guaranteed false-positive rate each. */
import { publishedRow, publishedTables } from '../../paper/index.ts'
import type { Column, Row, Table, Value } from '../../report/report.ts'
import { counted } from '../../report/sentence.ts'
import { mean, meanShare, proportion } from '../../report/values.ts'
import type { Cell } from '../cell.ts'
import { meanOf } from '../mean-report.ts'
import { type Method, none } from '../methods.ts'
import type { Plan, TextSet } from '../plan.ts'
import type { Results } from '../results.ts'
import { robustnessSentence } from '../sentences.ts'
import type { StudiedAttack } from '../study.ts'
import { certifiedChart, certifiedTable, certifyCells } from './certified.ts'
import { hits, rates } from './detectability.ts'
import { humanFalsePositives } from './human.ts'
import type { Protocol, ProtocolOptions } from './protocol.ts'

const published = {
  '5': publishedTables.attackedAt5,
  '1': publishedTables.attackedAt1,
  '01': publishedTables.attackedAt01,
}

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

/** Detectors that are fast enough to test every attacked text without a watermark too. */
const fast = (plan: Plan): Method[] => plan.methods.filter((method) => !method.alignment)

/** ln p of a method's texts after an attack. */
export const attackedLogP = (plan: Plan, results: Results, method: Method, attack: StudiedAttack): number[] =>
  results.logP(attackedBy(plan, method, attack).tests)

/** An attack of one model as another has it: on fewer texts, say. */
export const sameAttack = ({ study }: Plan, { id, label }: StudiedAttack): StudiedAttack => {
  const found = study.attacks.find((one) => one.id === id)
  if (!found) throw new Error(`${study.name}: expected the attack '${label}', as the other models have`)
  return found
}

function methodRow(plan: Plan, results: Results, method: Method, { rate, id }: (typeof rates)[number]): Row {
  const cells: Record<string, Value | null> = {}
  for (const attack of plan.study.attacks) {
    const logP = attackedLogP(plan, results, method, attack)
    const figures =
      method.paper && method.paper !== 'none' ? publishedRow(published[id], method.paper).figures : undefined
    const paper = attack.paper && figures ? figures[attack.paper].value : undefined
    cells[attack.id] = proportion(hits(logP, rate), logP.length, { paper })
  }
  const plain = plan
    .openSources()
    .flatMap(({ model, data }) => results.logP(plan.detect(method, plan.open(undefined, model, data))))
  cells.unmarked = proportion(hits(plain, rate), plain.length)
  cells.human = humanFalsePositives(plan, results, method, 'whole', rate)
  return { id: method.id, label: method.label, family: method.family, cells }
}

function plainRow(plan: Plan, results: Results, rate: number): Row {
  const cells: Record<string, Value | null> = {}
  for (const attack of plan.study.attacks) {
    const all = fast(plan).map((method) => results.logP(plainAttacked(plan, method, attack)))
    const shares = all[0]?.map((_, i) => all.filter((logP) => hits([logP[i]!], rate) > 0).length / all.length)
    const note = 'false positives, mean over the guaranteed detectors but the alignment tests'
    cells[attack.id] = shares ? meanShare(shares, { note }) : null
  }
  return {
    id: none.id,
    label: none.label,
    family: none.family,
    cells: { ...cells, unmarked: null, human: null },
  }
}

/** What each attack really changed: edits as a share of the tokens, and what is left of triples and of content words. */
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
    const cells: Record<string, Value> = {}
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
    return { id: method.id, label: method.label, family: method.family, cells }
  })
  return { id: name, title, caption, columns, rows }
}

/** What the columns of measured false positives come from: unwatermarked texts, and prose by people. */
const falsePositiveCells = (plan: Plan): Cell[] =>
  plan.tests.flatMap((method) => [
    ...plan
      .openSources()
      .flatMap(({ model, data }) => plan.detect(method, plan.open(undefined, model, data))),
    ...plan.human(method, 'whole'),
  ])

/** Attacks that are tried on fewer texts than there are. */
function attackedTextsNote(plan: Plan): string[] {
  const fewer = plan.study.attacks.filter(({ texts = Infinity }) => texts < plan.study.open.prompts)
  return fewer.map(
    ({ label, texts }) =>
      `${label} is tried on the first ${counted(texts!, 'text')} of each model and dataset.`,
  )
}

const rateOf = (options: ProtocolOptions) => {
  const found = rates.find(({ rate }) => rate === options.rate)
  if (!found)
    throw new RangeError(`rate: expected one of ${rates.map((r) => r.rate).join(', ')}, got ${options.rate}`)
  return found
}

export const robustness: Protocol = {
  uses: ['open', 'attacks'],
  cells: (plan, options) => [
    ...plan.study.attacks.flatMap((attack) => [
      ...plan.tests.flatMap((method) => attackedBy(plan, method, attack).tests),
      ...fast(plan).flatMap((method) => plainAttacked(plan, method, attack)),
    ]),
    ...falsePositiveCells(plan),
    ...(options.details
      ? plan.methods.flatMap((method) => certifyCells(plan, method, rateOf(options).rate))
      : []),
  ],
  say(plans, results, options) {
    const { rate, label } = rateOf(options)
    const { attacks } = plans[0].study
    const strongest = attacks.find((attack) => attack.paper === 'Random 30%') ?? attacks[0]!
    const survival = plans[0].tests
      .filter(({ guaranteed }) => guaranteed)
      .map((method) => {
        const rates = plans.map((plan) => {
          const logP = attackedLogP(plan, results, method, sameAttack(plan, strongest))
          return hits(logP, rate) / logP.length
        })
        return { label: method.label, rate: meanOf(rates) }
      })
    const sentence = robustnessSentence(survival, label, strongest.label)
    return { ...(options.details ? { headline: { sentence } } : {}), summary: [sentence] }
  },
  report(plan, results, options) {
    const rate = rateOf(options)
    const rows = [
      plainRow(plan, results, rate.rate),
      ...plan.tests.map((method) => methodRow(plan, results, method, rate)),
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
      { id: 'human', label: 'prose by people', group: 'measured false positives', unit: 'percent' },
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
            ]
          : []),
      ],
      charts: charts.filter((chart) => chart.points.length > 0),
    }
  },
}
