/** Do we rank methods as the paper does? Spearman's rho per axis and per column, with intervals, and where the ranks differ most. */
import { seededRandom } from '../../keys/stream.ts'
import { publishedRow, publishedTables } from '../../paper/index.ts'
import type { Chart, Point, Row, Table, Value } from '../../report/report.ts'
import { derived, estimate, verdict } from '../../report/values.ts'
import { median, midRanks, spearman } from '../../stats/index.ts'
import { meanOf } from '../mean-report.ts'
import { type Method, methodLabel } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { agreementSentence } from '../sentences.ts'
import { hits, pValue, tested } from './detectability.ts'
import { inScores, type Measure, measuresOf, oneShotValues, publishedFigure } from './one-shot.ts'
import type { Plans, Protocol, ReportBody } from './protocol.ts'
import { driftOf } from './repeated.ts'
import { attackedLogP, sameAttack } from './robustness.ts'
import { publishedScore, scoreCells } from './scores.ts'
import { axes, scoresOf } from './three-axes.ts'

interface Ranking {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly best: 'highest' | 'lowest'
}

interface Ranked extends Ranking {
  /** Ours and the paper's, for the methods that both have. */
  readonly pairs: readonly { readonly method: Method; readonly ours: number; readonly paper: number }[]
}

/** Whose p-values are ranked: guaranteed ones, or those of published tests where there are any. */
const kinds = ['guaranteed', 'published'] as const
type Kind = (typeof kinds)[number]

/** The methods, with the tests of one kind. */
const methodsOf = (plan: Plan, kind: Kind): readonly Method[] =>
  plan.methods.map(
    (method) =>
      (kind === 'published' &&
        plan.tests.find((test) => test.writer === method.writer && !test.guaranteed)) ||
      method,
  )

/** Without published tests there is one kind only. */
const kindsOf = (plan: Plan): readonly Kind[] =>
  plan.tests.some(({ guaranteed }) => !guaranteed) ? kinds : ['guaranteed']

function ranked(
  methods: readonly Method[],
  ranking: Ranking,
  ours: (m: Method) => number,
  paper: (m: Method) => number | undefined,
): Ranked {
  const pairs = methods.flatMap((method) => {
    const published = paper(method)
    return published === undefined ? [] : [{ method, ours: ours(method), paper: published }]
  })
  return { ...ranking, pairs }
}

/** The same ranking with guaranteed and with published tests. */
const rankedBoth = (plan: Plan, ranking: Ranking, ours: (m: Method) => number, paper: Paper): Ranked[] =>
  kindsOf(plan).map((kind) =>
    ranked(
      methodsOf(plan, kind),
      kind === 'guaranteed'
        ? ranking
        : { ...ranking, id: `${ranking.id} published`, label: `${ranking.label}, published tests` },
      ours,
      paper,
    ),
  )

type Paper = (method: Method) => number | undefined

/** What is ranked: the mean over models, as in the paper. */
const over = (plans: Plans, ours: (plan: Plan) => number): number => meanOf(plans.map(ours))

function axisRanks(plans: Plans, results: Results): Ranked[] {
  const [plan] = plans
  return axes.flatMap((axis) => {
    const ranking: Ranking = { id: axis, label: axis, group: 'scores', best: 'highest' }
    const ours = (m: Method) => over(plans, (own) => scoresOf(own, results, m)[axis].value)
    const paper = (m: Method) => publishedScore(m, axis)
    // no test has a part in unbiasedness
    return axis === 'unbiasedness'
      ? [ranked(plan.methods, ranking, ours, paper)]
      : rankedBoth(plan, ranking, ours, paper)
  })
}

/** Every column that both have. */
function columnRanks(plans: Plans, results: Results): Ranked[] {
  const [plan] = plans
  const all = new Map(
    plans.map((own) => [own, new Map(tested(own, results).map((one) => [one.method.id, one.marked]))]),
  )
  const marked = (own: Plan, { id }: Method) => all.get(own)!.get(id)!
  const share = (logP: readonly number[], rate: number) => hits(logP, rate) / logP.length
  // a task of one name may be another model's too, with its own data
  const having = (m: Measure) =>
    plans.flatMap((own) => {
      const found = measuresOf(own).find(({ id }) => id === m.id)
      return found ? [{ own, m: found }] : []
    })
  const figures = (method: Method) =>
    method.paper && method.paper !== 'none'
      ? publishedRow(publishedTables.detection, method.paper).figures
      : undefined
  const attackFigures = (method: Method) =>
    method.paper && method.paper !== 'none'
      ? publishedRow(publishedTables.attackedAt1, method.paper).figures
      : undefined
  const attacks = plan.study.attacks.filter((attack) => attack.paper !== undefined)
  return [
    ...measuresOf(plan)
      .filter(inScores)
      .map((m) =>
        ranked(
          plan.methods,
          { id: `gap ${m.id}`, label: `gap ${m.id}`, group: 'table 2', best: 'lowest' },
          (method) => meanOf(having(m).map((one) => meanOf(driftOf(one.own, results, method, one.m).gaps))),
          (method) => publishedFigure('repeated', method, m),
        ),
      ),
    ...measuresOf(plan)
      .filter((m) => inScores(m) && m.metric === 'Perplexity')
      .map((m) =>
        ranked(
          plan.methods,
          { id: `one-shot ${m.id}`, label: `one-shot ${m.id}`, group: 'table 1', best: 'lowest' },
          (method) => meanOf(having(m).map((one) => meanOf(oneShotValues(one.own, results, method, one.m)))),
          (method) => publishedFigure('oneShot', method, m),
        ),
      ),
    ...rankedBoth(
      plan,
      { id: 'tpr1', label: 'TPR@1%', group: 'table 3', best: 'highest' },
      (m) => over(plans, (own) => share(marked(own, m), 0.01)),
      (m) => figures(m)?.['TPR at 1%'].value,
    ),
    ...rankedBoth(
      plan,
      { id: 'median', label: 'median p', group: 'table 3', best: 'lowest' },
      (m) => over(plans, (own) => median(marked(own, m).map(pValue))),
      (m) => figures(m)?.['median p-value'].value,
    ),
    ...attacks.flatMap((attack) =>
      rankedBoth(
        plan,
        { id: attack.id, label: `${attack.label} at 1%`, group: 'table 4', best: 'highest' },
        (m) => over(plans, (own) => share(attackedLogP(own, results, m, sameAttack(own, attack)), 0.01)),
        (m) => attackFigures(m)?.[attack.paper!].value,
      ),
    ),
  ]
}

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
  return `${one.pairs[i]!.method.label}: ${ours[i]} here, ${paper[i]} in the paper`
}

function rhoOf(plan: Plan, { id, pairs }: Ranked) {
  const values = [pairs.map((p) => p.ours), pairs.map((p) => p.paper)] as const
  if (pairs.length < 4 || values.some((list) => new Set(list).size < 2)) return undefined
  return spearman(values[0], values[1], {
    random: seededRandom(plan.study.seed, 'spearman', id),
    permutations: 9999,
  })
}

function table(plan: Plan, id: string, title: string, caption: string, list: readonly Ranked[]): Table {
  const rows = list.map((one): Row => {
    const rho = rhoOf(plan, one)
    const cells: Record<string, Value | null> = rho
      ? {
          rho: estimate(rho.rho, (rho.high - rho.low) / 3.92, rho.n, { low: rho.low, high: rho.high }),
          p: derived(rho.pValue),
          furthest: verdict(furthest(one)),
        }
      : { rho: null, p: null, furthest: null }
    return {
      id: one.id,
      label: one.label,
      family: '',
      cells: { ...cells, table: { kind: 'text', value: one.group } },
    }
  })
  return {
    id,
    title,
    caption,
    rowLabel: 'What is ranked',
    columns: [
      { id: 'rho', label: "Spearman's ρ", unit: 'number', digits: 2 },
      { id: 'p', label: 'p', unit: 'p-value' },
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
    ({ method }, i): Point => ({
      label: methodLabel(method),
      family: method.family,
      x: paper[i]!,
      y: ours[i]!,
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
    caption: '1 is the best place. On the diagonal both agree.',
    x: { label: 'place in the paper', ...axis },
    y: { label: 'place here', ...axis },
    points,
  }
}

/** Remarks on the differences, as far as they speak of methods that are ranked here. */
const remarks = (plan: Plan): string[] =>
  (plan.study.differences ?? [])
    .filter(({ about }) =>
      about.every((family) => plan.methods.some((method) => method.paper && method.family === family)),
    )
    .map(({ remark }) => remark)

/** Ranks by the mean over models, or of one. */
function ranks(plans: Plans, results: Results): Pick<ReportBody, 'tables' | 'charts'> {
  const [plan] = plans
  const [scores, columns] = [axisRanks(plans, results), columnRanks(plans, results)]
  return {
    tables: [
      table(
        plan,
        'agreement',
        'Agreement per axis',
        "Spearman's rank correlation between our scores and the published ones.",
        scores,
      ),
      table(
        plan,
        'agreement-columns',
        'Agreement per column',
        'The same for the columns that the scores are made of.',
        columns,
      ),
    ],
    charts: scores.filter(({ pairs }) => pairs.length > 1).map(chart),
  }
}

const titled = <T extends { readonly title: string }>(item: T): T => ({
  ...item,
  title: `${item.title}, mean over models`,
})

export const agreement: Protocol = {
  uses: ['tasks', 'open', 'attacks'],
  cells: scoreCells,
  say(plans, results) {
    const sentence = agreementSentence(
      axisRanks(plans, results).map((one) => {
        const rho = rhoOf(plans[0], one)
        return { label: one.label, ...(rho ? { rho } : {}) }
      }),
    )
    return { headline: { sentence }, summary: [sentence] }
  },
  // the mean of rank correlations is not the correlation of mean scores
  mean(plans, results) {
    const { tables, charts } = ranks(plans, results)
    return { tables: tables.map(titled), charts: charts.map(titled) }
  },
  report: (plan, results) => ({
    notes: [
      ...(kindsOf(plan).length > 1
        ? [
            'Published tests: where the published code of a method has another test than the guaranteed one here, its p-values take their place. Their rates are nominal, not measured: see the report on false positives.',
          ]
        : []),
      "Ranks of methods that both have; over several models, of the means over them, as in the paper. Intervals by Fisher's transformation for ranks; p-values by 9,999 permutations. Nothing was tuned towards agreement.",
      ...remarks(plan),
      ...plan.study.settings,
    ],
    ...ranks([plan], results),
  }),
}
