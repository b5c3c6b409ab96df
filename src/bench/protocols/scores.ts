/** Table 7 and figure 1: the paper's three scores from our numbers, as a table and as a picture. */

import { seededRandom } from '../../core/keys/index.ts'
import { normalQuantile, quantile } from '../../core/stats/index.ts'
import type { Cell } from '../cells/cell.ts'
import { unbiasednessScore } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { placesOf, placesTable } from '../report/places.ts'
import { rateAt } from '../report/rates.ts'
import type { Chart, Column, Point, Row, Table, Value } from '../report/report.ts'
import { derived, exact } from '../report/values.ts'
import { type Method, none } from '../study/methods.ts'
import { meanOf } from './bootstrap.ts'
import { detectability, tested } from './detectability.ts'
import { humanFalsePositives } from './human.ts'
import { meanTable, titled } from './mean-report.ts'
import { oneShot, powerTable } from './one-shot.ts'
import type { Protocol, ReportBody } from './protocol.ts'
import { repeated } from './repeated.ts'
import { attackedBy } from './robustness.ts'
import { type Cells, clipped, methodRow, paperFigure } from './rows.ts'
import { axesSentences, FALSE_ALARM, numberIn, PLAIN, scoresSentences, tableOf } from './sentences.ts'
import { attacksOfScore, axes, robustnessOf, scoresOf } from './three-axes.ts'

/** All that the scores are made of. */
export const scoreCells = (plan: Plan): Cell[] => [
  ...oneShot.cells(plan, {}),
  ...repeated.cells(plan, {}),
  ...detectability.cells(plan, {}),
  ...plan.study.attacks
    .filter(({ paper, instead }) => (paper ?? instead) !== undefined)
    .flatMap((attack) => plan.tests.flatMap((method) => attackedBy(plan, method, attack).tests)),
]

const rewordedColumn: Column = {
  id: 'reworded',
  label: 'robustness, Reword for LM rewrite',
  group: 'scores',
  unit: 'number',
  digits: 3,
  better: 'higher',
}

/** The robustness score with the study's other rewriting attack in the place of the first. */
function rewordedRobustness(plan: Plan, results: Results, method: Method): Value | null {
  const attacks = attacksOfScore(plan, 'instead')
  if (!attacks) return null
  const { value, se, n } = robustnessOf(plan, results, method, attacks)
  return clipped(value, Math.max(se, 1e-3), n, [0, 1], paperFigure(method, 'scores', 'robustness'))
}

function table(plan: Plan, results: Results): Table {
  const falsePositives = new Map(tested(plan, results).map(({ method, plain }) => [method.id, plain]))
  const rows = plan.tests.map((method): Row => {
    const scores = scoresOf(plan, results, method)
    const cells: Cells = {}
    for (const axis of axes) {
      const { value, se, n } = scores[axis]
      cells[axis] = clipped(value, Math.max(se, 1e-3), n, [0, 1], paperFigure(method, 'scores', axis))
    }
    cells.reworded = rewordedRobustness(plan, results, method)
    cells.unmarked = rateAt(falsePositives.get(method.id)!, 0.01)
    cells.human = humanFalsePositives(plan, results, method, 'whole', 0.01)
    return methodRow(method, cells)
  })
  // By the formulas, no watermark is perfectly unbiased; it has nothing to detect and nothing to remove.
  const empty = { detectability: null, robustness: null, reworded: null, unmarked: null, human: null }
  const plain = methodRow(none, { unbiasedness: exact(1), ...empty })
  return {
    id: 'table7',
    title: 'The three scores',
    caption:
      'The paper\'s formulas and weights on our numbers; standard errors by the bootstrap over prompts and texts (at least 0.001). Our scores beside the published ones. A "published test" is that of the published code on the same texts: its rates are not guaranteed, see the measured false positives. A model without a translation task has three of the five metrics in its unbiasedness score.',
    columns: [
      ...axes.map((axis) => ({
        id: axis,
        label: axis,
        group: 'scores',
        unit: 'number' as const,
        digits: 3,
        better: 'higher' as const,
      })),
      ...(attacksOfScore(plan, 'instead') ? [rewordedColumn] : []),
      { id: 'unmarked', label: 'unwatermarked texts', group: 'false positives at 1%', unit: 'percent' },
      { id: 'human', label: 'human-written text', group: 'false positives at 1%', unit: 'percent' },
    ],
    rows: [
      plain,
      ...rows.sort(
        (a, b) => (b.cells.detectability?.value as number) - (a.cells.detectability?.value as number),
      ),
    ],
  }
}

/** The tables that figure 1 is made of: table 7, table 1, and for each model tables 1 and 2. */
interface Base {
  readonly scores: Table
  readonly oneShot: Table
  /** The differences that table 1 would have shown. */
  readonly power: Table
  readonly models: readonly { readonly oneShot: Table; readonly gaps: Table; readonly drift: Table }[]
}

const RESAMPLES = 1000

/**
 * The unbiasedness score below which an independent copy of the model falls in 5% of runs, mean over models. The errors of its metrics
 * are drawn as independent normal ones, and the prompts that texts share are not used, so the band is rather too wide.
 */
function noiseFloor(models: Base['models']): number | undefined {
  const random = seededRandom('noise of the baseline')
  const draw = () => normalQuantile((random.below(2 ** 31) + 0.5) / 2 ** 31)
  const parts = models.flatMap(({ oneShot: one, gaps, drift }) => {
    const row = (own: Table) => own.rows.find(({ id }) => id === PLAIN)
    const columns = one.columns.filter(({ id }) =>
      one.rows.some(({ cells }) => cells[id]?.paper !== undefined),
    )
    const known = columns.flatMap(({ id }) => {
      const values = [one, gaps, drift].map((own) => row(own)?.cells[id])
      return values.every((value) => value?.kind === 'mean') ? [values as (Value & { kind: 'mean' })[]] : []
    })
    return known.length > 0 ? [known] : []
  })
  if (parts.length === 0 || parts.length < models.length) return undefined
  const scoreOf = (known: (typeof parts)[number]) => {
    const none = { oneShot: known.map(([one]) => one!.value), repeated: known.map(([, gap]) => gap!.value) }
    return unbiasednessScore({
      oneShot: known.map(([one]) => Math.max(0, one!.value + draw() * one!.sd * Math.sqrt(2 / one!.n))),
      repeated: known.map(([, gap, copy]) =>
        Math.max(0, gap!.value + (draw() * copy!.sd) / Math.sqrt(copy!.n)),
      ),
      none,
    })
  }
  const draws = Array.from({ length: RESAMPLES }, () => meanOf(parts.map(scoreOf)))
  return quantile(draws, 0.05)
}

function axesChart({ scores: table, models }: Base): Chart {
  const points = table.rows.flatMap((row): Point[] => {
    const { label, family, biased } = row
    const [u, d, r] = axes.map((axis) => numberIn(row, axis))
    if (row.nominal || !u || !d || !r || !('low' in u && 'low' in d)) return []
    const hollow = biased ? { hollow: true as const } : {}
    const ours: Point = {
      label,
      family,
      x: u.value,
      y: d.value,
      size: r.value,
      layer: 'ours',
      xRange: [u.low, u.high],
      yRange: [d.low, d.high],
      ...hollow,
    }
    return u.paper === undefined || d.paper === undefined || r.paper === undefined
      ? [ours]
      : [ours, { label, family, x: u.paper, y: d.paper, size: r.paper, layer: 'paper', ...hollow }]
  })
  const floor = noiseFloor(models)
  return {
    id: 'axes',
    kind: 'scatter',
    title: 'Unbiasedness, detectability, robustness',
    caption: `Further right and higher is better; larger markers are more robust; outlines are biased methods. Lines are 95% intervals.${floor === undefined ? '' : ' The shaded band is where the score of an independent copy of the model lies in 95% of runs: differences inside it are noise.'} Unbiasedness = 1 - (0.6 D1 + 0.4 D2), where D1 and D2 are the mean relative deviations from no watermark in one shot and under repeated prompts. Detectability = 0.60 TPR + 0.25 AUROC + 0.15 min(1, -log10(median p) / 22), where TPR = 0.2 at 5% + 0.3 at 1% + 0.5 at 0.1%.`,
    x: { label: 'unbiasedness' },
    y: { label: 'detectability' },
    sizeLabel: 'robustness',
    ...(floor === undefined ? {} : { band: { x: [floor, 1], label: 'noise of the baseline' } }),
    points,
  }
}

/** Counts pairs of unbiased methods whose joint 95% intervals do not overlap, and unbiased methods that differ in one shot. */
function apartTable({ scores: table, oneShot: one, power }: Base): Table {
  const row = (id: string, label: string, apart: number, all: number): Row => ({
    id,
    label,
    family: '',
    cells: { apart: derived(apart), all: exact(all), shift: null },
  })
  const shifts = power.rows.flatMap((own) => numberIn(own, 'shift')?.value ?? [])
  const shift = shifts.length > 0 ? derived(Math.max(...shifts)) : null
  const unbiased = (own: Table) =>
    own.rows.filter(({ id, biased, nominal, family }) => id !== PLAIN && !biased && !nominal && family !== '')
  const pairs = axes.map((axis) => {
    const values = unbiased(table).flatMap((own) => {
      const value = numberIn(own, axis)
      return value && 'low' in value ? [{ value: value.value, se: (value.high - value.low) / 3.92 }] : []
    })
    // each method is surely below those that its best place excludes
    const apart = placesOf(values).reduce((sum, { low }) => sum + low - 1, 0)
    return row(
      axis,
      `pairs of unbiased methods apart in ${axis}`,
      apart,
      (values.length * (values.length - 1)) / 2,
    )
  })
  const tested = unbiased(one).filter((own) => numberIn(own, 'adjusted'))
  const differ = tested.filter((own) => numberIn(own, 'adjusted')!.value <= FALSE_ALARM)
  return {
    id: 'told-apart',
    title: 'What can be told apart',
    caption: `Pairs of unbiased methods whose joint 95% intervals do not overlap, and unbiased methods that differ from no watermark in one shot at a family-wise rate of ${100 * FALSE_ALARM}%.`,
    rowLabel: 'Question',
    columns: [
      { id: 'apart', label: 'told apart', unit: 'count' },
      { id: 'all', label: 'of', unit: 'count' },
      { id: 'shift', label: 'smallest shift seen with 90% (deviations)', unit: 'number', digits: 2 },
    ],
    rows: [
      {
        ...row('one-shot', 'unbiased methods that differ from no watermark in one shot', differ.length, 0),
        cells: { apart: derived(differ.length), all: exact(tested.length), shift },
      },
      ...pairs,
    ],
  }
}

/** Figure 1 from tables 1, 2 and 7. */
export const figureOf = (base: Base): Pick<ReportBody, 'tables' | 'charts'> =>
  base.scores.rows.length < 2
    ? { tables: [], charts: [] }
    : { tables: [apartTable(base)], charts: [axesChart(base)] }

/** Finds the tables of figure 1 among those of tables 1, 2 and 7. */
export function baseOf(tables: readonly Table[], models: readonly (readonly Table[])[]): Base | undefined {
  const find = (list: readonly Table[], id: string) => tableOf({ tables: list, charts: [] }, id)
  const [scores, oneShot] = [find(tables, 'table7'), find(tables, 'table1')]
  const each = models.flatMap((list) => {
    const [one, gaps, drift] = ['table1', 'table2', 'detwmk'].map((id) => find(list, id))
    return one && gaps && drift ? [{ oneShot: one, gaps, drift }] : []
  })
  if (!scores || !oneShot) return undefined
  return { scores, oneShot, power: find(tables, 'power') ?? powerTable([oneShot]), models: each }
}

const tablesFor = (plan: Plan, results: Results): Table[] => [
  ...oneShot.complete!(oneShot.report(plan, results, {})).tables,
  ...repeated.report(plan, results, {}).tables,
  table(plan, results),
]

const settings = (plan: Plan): string[] => [
  "Unbiasedness: 1 minus the mean relative deviation from no watermark, one-shot (0.6) and repeated (0.4). Detectability: 0.60 TPR, 0.25 AUROC, 0.15 median p. Robustness: TPR after the paper's four attacks, low rates and heavy replacement first.",
  'The unbiasedness score takes absolute values, so sampling noise lowers it for every method: with fewer prompts than the paper all scores are lower, and small differences mean nothing.',
  ...plan.study.settings,
]

/** A table of scores, and the places of the guaranteed tests in it. */
function withPlaces(plan: Plan, scores: Table): Table[] {
  const guaranteed = new Set(plan.methods.map(({ id }) => id))
  const places = placesTable(scores, axes, ({ id }) => guaranteed.has(id))
  return places ? [scores, places] : [scores]
}

export const scores: Protocol = {
  uses: ['tasks', 'open', 'attacks'],
  cells: scoreCells,
  say: (told) => scoresSentences(told, axes),
  report: (plan, results) => ({
    notes: settings(plan),
    tables: withPlaces(plan, table(plan, results)),
    charts: [],
  }),
  mean(plans, results) {
    const tables = plans.map((plan) => ({ name: plan.study.name ?? '', item: table(plan, results) }))
    return { tables: withPlaces(plans[0], meanTable(tables)), charts: [] }
  },
}

export const threeAxes: Protocol = {
  uses: ['tasks', 'open', 'attacks'],
  cells: scoreCells,
  say: axesSentences,
  report(plan, results) {
    const tables = tablesFor(plan, results)
    return { notes: settings(plan), ...figureOf(baseOf(tables, [tables])!) }
  },
  mean(plans, results) {
    const each = plans.map((plan) => ({ name: plan.study.name ?? '', tables: tablesFor(plan, results) }))
    const mean = (id: string) =>
      meanTable(each.map(({ name, tables }) => ({ name, item: tables.find((one) => one.id === id)! })))
    const base = baseOf(
      [
        ...['table1', 'table7'].map(mean),
        powerTable(each.map(({ tables }) => tables.find(({ id }) => id === 'table1')!)),
      ],
      each.map(({ tables }) => tables),
    )!
    const { tables, charts } = figureOf(base)
    return { tables: tables.map(titled), charts: charts.map(titled) }
  },
}
