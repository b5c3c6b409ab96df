/**
 * Compares our ranking of methods with the paper's: Spearman's rho for every column that both have, with intervals, and where the
 * ranks differ most. It is a function of tables 1 to 7, so that it can be computed again from the files of a run.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { midRanks, normalQuantile, quantile, spearman } from '../../core/stats/index.ts'
import { audit, detectabilityScore, publishedTables } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { Chart, Column, Point, Row, Table, Value } from '../report/report.ts'
import { derived, estimate, text, verdict } from '../report/values.ts'
import { PUBLISHED_TEST } from '../study/methods.ts'
import { detectability } from './detectability.ts'
import { meanTable, titled } from './mean-report.ts'
import { oneShot } from './one-shot.ts'
import type { Plans, Protocol, ReportBody } from './protocol.ts'
import { repeated } from './repeated.ts'
import { robustness } from './robustness.ts'
import type { Cells } from './rows.ts'
import { scoreCells, scores } from './scores.ts'
import { agreementSentences, numberIn, tableOf } from './sentences.ts'
import { axes } from './three-axes.ts'

/** The methods that a column of ours and of the paper both have. */
interface Ranked {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly best: 'highest' | 'lowest'
  readonly pairs: readonly {
    readonly row: Row
    readonly ours: number
    /** The standard error of ours. */
    readonly se: number
    readonly paper: number
  }[]
}

/** Tables that are compared: their ids, the paper's, and the names that rows of agreement tables have. */
const compared: readonly {
  id: string
  group: string
  name: (column: Column) => { id: string; label: string }
}[] = [
  { id: 'table2', group: 'table 2', name: ({ id }) => ({ id: `gap ${id}`, label: `gap ${id}` }) },
  { id: 'table1', group: 'table 1', name: ({ id }) => ({ id: `one-shot ${id}`, label: `one-shot ${id}` }) },
  { id: 'table3', group: 'table 3', name: ({ id, label }) => ({ id, label }) },
  { id: 'robustness-1', group: 'table 4', name: ({ id, label }) => ({ id, label: `${label} at 1%` }) },
  {
    id: 'robustness-01',
    group: 'table 5',
    name: ({ id, label }) => ({ id: `${id} 0.1%`, label: `${label} at 0.1%` }),
  },
  {
    id: 'robustness-5',
    group: 'table 6',
    name: ({ id, label }) => ({ id: `${id} 5%`, label: `${label} at 5%` }),
  },
]

const isLowest = ({ id, better }: Column): boolean => better === 'lower' || id.endsWith('Perplexity')

/** The rows of a table with the tests of one kind: guaranteed ones, or published ones where there are any. */
function rowsOf({ rows }: Table, kind: 'guaranteed' | 'published'): Row[] {
  const nominal = rows.filter((row) => row.nominal)
  return rows
    .filter((row) => !row.nominal)
    .map(
      (row) =>
        (kind === 'published' && nominal.find(({ label }) => label === `${row.label}${PUBLISHED_TEST}`)) ||
        row,
    )
}

/** Ranks a column, with published tests as well where a table has them and they have a part in it. */
function rankedBy(
  table: Table,
  column: Column,
  { id, label }: { readonly id: string; readonly label: string },
  group: string,
  paperOf = (row: Row): number | undefined => row.cells[column.id]?.paper,
): Ranked[] {
  const hasTests = column.id !== 'unbiasedness' && table.rows.some((row) => row.nominal)
  const kinds = hasTests ? (['guaranteed', 'published'] as const) : (['guaranteed'] as const)
  return kinds.flatMap((kind) => {
    const pairs = rowsOf(table, kind).flatMap((row) => {
      const [own, paper] = [numberIn(row, column.id), paperOf(row)]
      if (!own || paper === undefined || row.family === 'unwatermarked') return []
      const se = 'low' in own ? (own.high - own.low) / 3.92 : 0
      return [{ row, ours: own.value, se, paper }]
    })
    if (pairs.length === 0) return []
    const best = isLowest(column) ? 'lowest' : 'highest'
    const names =
      kind === 'published' ? { id: `${id} published`, label: `${label}, published tests` } : { id, label }
    return [{ ...names, group, best, pairs } as const]
  })
}

/** The paper's detectability score of a method, recomputed from its table 3. */
function recomputedScore(row: Row): number | undefined {
  const method = publishedTables.oneShot.rows.find(({ name }) => name === row.label)?.method
  return audit().scores.find((cell) => cell.method === method && cell.axis === 'detectability')?.recomputed
}

/** The three scores, and detectability against what the paper's table 3 gives. */
function axisRanks(table: Table): Ranked[] {
  const printed = axes.flatMap((axis) => {
    const column = table.columns.find(({ id }) => id === axis)
    return column ? rankedBy(table, column, { id: axis, label: axis }, 'scores') : []
  })
  const column = table.columns.find(({ id }) => id === 'detectability')
  const names = { id: 'detectability recomputed', label: "detectability, paper's score recomputed" }
  const again = column ? rankedBy(table, column, names, 'scores', recomputedScore) : []
  return [...printed, ...again.slice(0, 1)]
}

/** Every column of tables 1 to 6 that both have. */
const columnRanks = (tables: readonly Table[]): Ranked[] =>
  compared.flatMap(({ id, group, name }) => {
    const table = tableOf({ tables, charts: [] }, id)
    return (table?.columns ?? []).flatMap((column) => rankedBy(table!, column, name(column), group))
  })

/** Places in both rankings, 1 the best; equals share theirs. */
function placesOf({ pairs, best }: Ranked): { ours: ArrayLike<number>; paper: ArrayLike<number> } {
  const places = (values: readonly number[]) => midRanks(values.map((v) => (best === 'highest' ? -v : v)))
  return { ours: places(pairs.map((p) => p.ours)), paper: places(pairs.map((p) => p.paper)) }
}

/** The method whose place differs most. */
function furthest(one: Ranked): string {
  const { ours, paper } = placesOf(one)
  const gaps = one.pairs.map((_, i) => Math.abs(ours[i]! - paper[i]!))
  const i = gaps.indexOf(Math.max(...gaps))
  if (gaps[i] === 0) return 'none: all places agree'
  return `${one.pairs[i]!.row.label}: ${ours[i]} here, ${paper[i]} in the paper`
}

/** Pairs of figures, one of each method. */
type Pairs = Pick<Ranked, 'id'> & {
  readonly pairs: readonly Pick<Ranked['pairs'][number], 'ours' | 'paper'>[]
}

function rhoOf(seed: number | string, { id, pairs }: Pairs, permutations = 9999) {
  const values = [pairs.map((p) => p.ours), pairs.map((p) => p.paper)] as const
  if (pairs.length < 4 || values.some((list) => new Set(list).size < 2)) return undefined
  return spearman(values[0], values[1], { random: seededRandom(seed, 'spearman', id), permutations })
}

/** An estimate that is not compared with accepted ones: the figures behind it are. */
const fromCompared = (value: Value): Value => ({ ...value, derived: true }) as Value

const REDRAWN = 400

/** The correlations of our figures when each is drawn again from its own error: the median and the central 95%. */
function redrawn(seed: number | string, one: Ranked) {
  const random = seededRandom(seed, 'redrawn', one.id)
  const draw = () => normalQuantile((random.below(2 ** 31) + 0.5) / 2 ** 31)
  const paper = one.pairs.map((p) => p.paper)
  const rhos = Array.from({ length: REDRAWN }, () => one.pairs.map(({ ours, se }) => ours + se * draw()))
    .filter((ours) => new Set(ours).size > 1)
    .map((ours) => spearman(ours, paper, { permutations: 1 }).rho)
  const [low, middle, high] = [0.025, 0.5, 0.975].map((level) => quantile(rhos, level)) as [
    number,
    number,
    number,
  ]
  return fromCompared(estimate(middle, (high - low) / 3.92, one.pairs.length, { low, high }))
}

const rhoValue = ({ rho, low, high, n }: { rho: number; low: number; high: number; n: number }) =>
  estimate(rho, (high - low) / 3.92, n, { low, high })

function table(
  seed: number | string,
  id: string,
  title: string,
  caption: string,
  list: readonly Ranked[],
): Table {
  const rows = list.map((one): Row => {
    const rho = rhoOf(seed, one)
    const unbiased = rhoOf(seed, { ...one, pairs: one.pairs.filter(({ row }) => !row.biased) }, 99)
    const cells: Cells = rho
      ? {
          rho: rhoValue(rho),
          p: derived(rho.pValue),
          redrawn: redrawn(seed, one),
          unbiased: unbiased ? fromCompared(rhoValue(unbiased)) : null,
          furthest: verdict(furthest(one)),
        }
      : { rho: null, p: null, redrawn: null, unbiased: null, furthest: null }
    return { id: one.id, label: one.label, family: '', cells: { ...cells, table: text(one.group) } }
  })
  return {
    id,
    title,
    caption,
    rowLabel: 'Ranked by',
    columns: [
      { id: 'rho', label: "Spearman's ρ", unit: 'number', digits: 2 },
      { id: 'p', label: 'p', unit: 'p-value' },
      { id: 'redrawn', label: 'ρ, figures redrawn', unit: 'number', digits: 2 },
      { id: 'unbiased', label: 'ρ, unbiased only', unit: 'number', digits: 2 },
      { id: 'furthest', label: 'largest difference of places', unit: 'text' },
      { id: 'table', label: 'from', unit: 'text' },
    ],
    rows,
  }
}

/** Places in both rankings of one axis, 1 the best. */
function chart(one: Ranked): Chart {
  const { ours, paper } = placesOf(one)
  const points = one.pairs.map(
    ({ row }, i): Point => ({
      label: row.label.replace(PUBLISHED_TEST, ''),
      family: row.family,
      x: paper[i]!,
      y: ours[i]!,
      ...(row.biased ? { hollow: true } : {}),
    }),
  )
  const last = one.pairs.length
  // the best place is at the top and on the right
  const axis = {
    domain: [last + 0.5, 0.5] as const,
    ticks: [...new Set([1, 5, 10, 15, 20, 25].filter((place) => place <= last))],
  }
  return {
    id: `places-${one.id}`.replace(/[^a-z]+/g, '-'),
    kind: 'scatter',
    diagonal: true,
    title: `Places by ${one.label}: ours against the paper's`,
    caption: '1 is the best place. On the diagonal both agree. Outlines are biased methods.',
    x: { label: 'place in the paper', ...axis },
    y: { label: 'place here', ...axis },
    points,
  }
}

/** Remarks on the differences that are about methods ranked here. */
const remarks = (plan: Plan): string[] =>
  (plan.study.differences ?? [])
    .filter(({ about }) =>
      about.every((family) => plan.methods.some((method) => method.paper && method.family === family)),
    )
    .map(({ remark }) => remark)

/** The agreement of tables 1 to 7 with the paper's. */
export function ranks(
  tables: readonly Table[],
  seed: number | string,
): Pick<ReportBody, 'tables' | 'charts'> {
  const main = tableOf({ tables, charts: [] }, 'table7')
  const [axis, columns] = [main ? axisRanks(main) : [], columnRanks(tables)]
  const errors =
    'The interval of ρ is over methods, as if the variants of nine families were a sample. "Figures redrawn" is the central 95% of ρ when each of our figures is drawn again from its own error.'
  return {
    tables: [
      table(
        seed,
        'agreement',
        'Agreement per axis',
        `Spearman's rank correlation between our scores and the published ones. ${errors}`,
        axis,
      ),
      table(
        seed,
        'agreement-columns',
        'Agreement per column',
        'The same for every column of tables 1 to 6 that both have.',
        columns,
      ),
      ...ownAudit(tables),
      ...tension(seed, main),
    ],
    charts: axis.filter(({ id, pairs }) => pairs.length > 1 && !id.endsWith('recomputed')).map(chart),
  }
}

/**
 * What the paper calls the central tension: methods that are good by two of the axes are not by the third. Rank correlations of the axes,
 * in our table 7 and in the paper's.
 */
function tension(seed: number | string, main: Table | undefined): Table[] {
  const known = (main?.rows ?? []).filter(({ nominal, cells }) => !nominal && cells.robustness?.paper)
  const rho = (x: string, y: string, list: readonly Row[], value: (row: Row, axis: string) => number) => {
    const pairs = list.map((row) => ({ ours: value(row, x), paper: value(row, y) }))
    const found = rhoOf(seed, { id: `tension ${x} ${y}`, pairs }, 99)
    return found ? fromCompared(rhoValue(found)) : null
  }
  const [here, printed] = [
    (row: Row, axis: string) => numberIn(row, axis)?.value ?? 0,
    (row: Row, axis: string) => row.cells[axis]?.paper ?? 0,
  ]
  const unbiased = known.filter(({ biased }) => !biased)
  const rows = axes.flatMap((x, i) =>
    axes.slice(i + 1).map(
      (y): Row => ({
        id: `${x} ${y}`,
        label: `${x} and ${y}`,
        family: '',
        cells: {
          here: rho(x, y, known, here),
          unbiased: rho(x, y, unbiased, here),
          paper: rho(x, y, known, printed),
          'paper unbiased': rho(x, y, unbiased, printed),
        },
      }),
    ),
  )
  if (known.length < 4) return []
  const column = (id: string, label: string, group: string): Column => ({
    id,
    label,
    group,
    unit: 'number',
    digits: 2,
  })
  return [
    {
      id: 'tension',
      title: 'The central tension',
      caption:
        "Spearman's rank correlation between two scores over methods: below 0, methods that are good by one are not by the other. The paper's closing sentence speaks of a tension between the axes and gives no number; its own table 7 gives the columns on the right. Intervals are over methods.",
      rowLabel: 'Axes',
      columns: [
        column('here', 'all methods', 'here'),
        column('unbiased', 'unbiased only', 'here'),
        column('paper', 'all methods', "the paper's table 7"),
        column('paper unbiased', 'unbiased only', "the paper's table 7"),
      ],
      rows,
    },
  ]
}

/**
 * The audit of the paper's detectability scores, on our own mean rows: a score of means, from our table 3, beside the mean of scores of
 * our table 7. By Jensen's inequality for -log10 of the median the first is rather lower.
 */
function ownAudit(tables: readonly Table[]): Table[] {
  const [detection, main] = ['table3', 'table7'].map((id) => tableOf({ tables, charts: [] }, id))
  const rows = (main?.rows ?? []).flatMap((row): Row[] => {
    const other = detection?.rows.find(({ id }) => id === row.id)
    const [tpr5, tpr1, tpr01, medianP, auroc] = ['tpr5', 'tpr1', 'tpr01', 'median', 'auroc'].map(
      (column) => numberIn(other, column)?.value,
    )
    const printed = numberIn(row, 'detectability')
    if (!printed || row.nominal || printed.paper === undefined) return []
    if ([tpr5, tpr1, tpr01, medianP, auroc].includes(undefined)) return []
    const again = detectabilityScore({
      tpr5: tpr5!,
      tpr1: tpr1!,
      tpr01: tpr01!,
      medianP: medianP!,
      auroc: auroc!,
    })
    const paper = recomputedScore(row)
    const { cells: _, ...own } = row
    return [
      {
        ...own,
        cells: {
          scores: derived(printed.value, { paper: printed.paper }),
          means: derived(again, { paper }),
          agrees: verdict(printed.value.toFixed(3) === again.toFixed(3) ? 'yes' : 'no'),
        },
      },
    ]
  })
  // the score of one model is the score of its means
  if (rows.every(({ cells }) => cells.agrees?.value === 'yes')) return []
  const columns: Column[] = [
    { id: 'scores', label: 'score as printed', unit: 'number', digits: 3 },
    { id: 'means', label: 'recomputed from table 3', unit: 'number', digits: 3 },
    { id: 'agrees', label: 'ours agree to the printed digit', unit: 'text' },
  ]
  return [
    {
      id: 'own-audit',
      title: 'The audit of detectability, on our own tables',
      caption:
        "The recomputation that the audit does with the paper's tables, done with ours: the score of table 7, a mean of scores over models, beside the score of the mean row of table 3. Where they differ, no figure is wrong: a mean of scores is not the score of means.",
      columns,
      rows,
    },
  ]
}

/** The tables that are compared, of one model. */
function base(plan: Plan, results: Results): Table[] {
  const rates = [0.01, 0.001, 0.05].flatMap((rate) =>
    robustness.report(plan, results, { rate }).tables.slice(0, 1),
  )
  const others = [oneShot, repeated, detectability, scores].flatMap((protocol) =>
    protocol.report(plan, results, {}).tables.slice(0, 1),
  )
  return [...others, ...rates]
}

/** The same, mean over models: the mean of rank correlations is not the correlation of means. */
function meanBase(plans: Plans, results: Results): Table[] {
  const each = plans.map((plan) => ({ name: plan.study.name ?? '', tables: base(plan, results) }))
  return each[0]!.tables.map(({ id }) =>
    meanTable(each.map(({ name, tables }) => ({ name, item: tables.find((one) => one.id === id)! }))),
  )
}

export const agreement: Protocol = {
  uses: ['tasks', 'open', 'attacks'],
  cells: (plan) => [
    ...scoreCells(plan),
    ...[0.01, 0.001, 0.05].flatMap((rate) => robustness.cells(plan, { rate })),
  ],
  say: agreementSentences,
  mean(plans, results) {
    const { tables, charts } = ranks(meanBase(plans, results), plans[0].study.seed)
    return { tables: tables.map(titled), charts: charts.map(titled) }
  },
  report: (plan, results) => ({
    notes: [
      ...(plan.tests.some(({ guaranteed }) => !guaranteed)
        ? [
            `Published tests: p-values of ${publishedFamilies(plan)} as the MCmark paper's repository (RayRuiboChen/MCMark, same authors) computes them take the place of the guaranteed ones. Its tests for EXP and ITS are permutations${plan.study.alignment.published ? ', ranked in the columns of table 3' : ', which are part of the tests here and are not ranked alone'}. Rates of published tests are nominal: see the report on false positives.`,
          ]
        : []),
      "Ranks of methods that both have; over several models, of the means over them, as in the paper. Intervals by Fisher's transformation for ranks; p-values by 9,999 permutations. Nothing was tuned towards agreement.",
      ...remarks(plan),
      ...plan.study.settings,
    ],
    ...ranks(base(plan, results), plan.study.seed),
  }),
}

/** The names of the families with a published test. */
const publishedFamilies = (plan: Plan): string => {
  const labels = plan.tests.flatMap(({ guaranteed, label }) =>
    guaranteed ? [] : [label.replace(PUBLISHED_TEST, '').replace(/\(.*$/, '')],
  )
  return [...new Set(labels)].join(', ').replace(/, ([^,]*)$/, ' and $1')
}
