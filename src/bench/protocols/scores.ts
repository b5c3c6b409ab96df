/** Table 7 and figure 1: the paper's three scores from our numbers, as a table and as a picture. */
import { publishedRow, publishedTables } from '../../paper/index.ts'
import { placesTable } from '../../report/places.ts'
import type { Chart, Point, Row, Table, Value } from '../../report/report.ts'
import { estimate, proportion } from '../../report/values.ts'
import type { Cell } from '../cell.ts'
import { meanOf, meanTable } from '../mean-report.ts'
import { type Method, none } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { axesSentence, type Scored, scoresSentence } from '../sentences.ts'
import { detectability, hits, tested } from './detectability.ts'
import { humanFalsePositives } from './human.ts'
import { oneShot } from './one-shot.ts'
import type { Plans, Protocol } from './protocol.ts'
import { repeated } from './repeated.ts'
import { attackedBy } from './robustness.ts'
import { type Axis, axes, scoresOf } from './three-axes.ts'

/** The published score of a method. */
export function publishedScore(method: Method, axis: Axis): number | undefined {
  if (!method.paper || method.paper === 'none') return undefined
  return publishedRow(publishedTables.scores, method.paper).figures[axis].value
}

/** All that the scores are made of. */
export const scoreCells = (plan: Plan): Cell[] => [
  ...oneShot.cells(plan, {}),
  ...repeated.cells(plan, {}),
  ...detectability.cells(plan, {}),
  ...plan.study.attacks
    .filter((attack) => attack.paper !== undefined)
    .flatMap((attack) => plan.tests.flatMap((method) => attackedBy(plan, method, attack).tests)),
]

function table(plan: Plan, results: Results): Table {
  const falsePositives = new Map(tested(plan, results).map(({ method, plain }) => [method.id, plain]))
  const rows = plan.tests.map((method): Row => {
    const scores = scoresOf(plan, results, method)
    const cells: Record<string, Value | null> = {}
    for (const axis of axes) {
      const { value, se, n } = scores[axis]
      const error = Math.max(se, 1e-3)
      const [low, high] = around(value, error)
      cells[axis] = estimate(value, error, n, { low, high, paper: publishedScore(method, axis) })
    }
    const plain = falsePositives.get(method.id)!
    cells.unmarked = proportion(hits(plain, 0.01), plain.length)
    cells.human = humanFalsePositives(plan, results, method, 'whole', 0.01)
    return { id: method.id, label: method.label, family: method.family, cells }
  })
  // By the formulas, no watermark is perfectly unbiased; it has nothing to detect and nothing to remove.
  const cells: Record<string, Value | null> = {
    unbiasedness: { kind: 'exact', value: 1 },
    detectability: null,
    robustness: null,
    unmarked: null,
    human: null,
  }
  const plain: Row = { id: none.id, label: none.label, family: none.family, cells }
  return {
    id: 'table7',
    title: 'The three scores',
    caption:
      'The paper\'s formulas and weights on our numbers; standard errors by the bootstrap over prompts and texts (at least 0.001). Our scores beside the published ones. A "published test" is that of the published code on the same texts: its rates are not guaranteed, see the measured false positives.',
    columns: [
      ...axes.map((axis) => ({
        id: axis,
        label: axis,
        group: 'scores',
        unit: 'number' as const,
        digits: 3,
        better: 'higher' as const,
      })),
      { id: 'unmarked', label: 'unwatermarked texts', group: 'false positives at 1%', unit: 'percent' },
      { id: 'human', label: 'prose by people', group: 'false positives at 1%', unit: 'percent' },
    ],
    rows: [
      plain,
      ...rows.sort(
        (a, b) => (b.cells.detectability?.value as number) - (a.cells.detectability?.value as number),
      ),
    ],
  }
}

/** A 95% interval; scores lie in [0, 1], and so does it. */
const around = (value: number, se: number): [number, number] => [
  Math.min(value, Math.max(0, value - 1.96 * se)),
  Math.max(value, Math.min(1, value + 1.96 * se)),
]

function axesChart(plan: Plan, results: Results): Chart {
  const points = plan.methods.flatMap((method): Point[] => {
    const { unbiasedness: u, detectability: d, robustness: r } = scoresOf(plan, results, method)
    const { label, family } = method
    const ours: Point = {
      label,
      family,
      x: u.value,
      y: d.value,
      size: r.value,
      layer: 'ours',
      xRange: around(u.value, u.se),
      yRange: around(d.value, d.se),
    }
    const [x, y, size] = axes.map((axis) => publishedScore(method, axis))
    return x === undefined || y === undefined || size === undefined
      ? [ours]
      : [ours, { label, family, x, y, size, layer: 'paper' }]
  })
  return {
    id: 'axes',
    kind: 'scatter',
    title: 'Unbiasedness, detectability, robustness',
    caption: 'Further right and higher is better; larger marks are more robust. Lines are 95% intervals.',
    x: { label: 'unbiasedness' },
    y: { label: 'detectability' },
    sizeLabel: 'robustness',
    points,
  }
}

const settings = (plan: Plan): string[] => [
  "Unbiasedness: 1 minus the mean relative deviation from no watermark, one-shot (0.6) and repeated (0.4). Detectability: 0.60 TPR, 0.25 AUROC, 0.15 median p. Robustness: TPR after the paper's four attacks, low rates and heavy replacement first.",
  'The unbiasedness score takes absolute values, so sampling noise lowers it for every method: with fewer prompts than the paper all scores are lower, and small differences mean nothing.',
  ...plan.study.settings,
]

/** The scores of all methods, mean over models: for sentences. */
const scored = (plans: Plans, results: Results): Scored[] =>
  plans[0].methods.map((method) => {
    const score = (axis: Axis) => meanOf(plans.map((plan) => scoresOf(plan, results, method)[axis].value))
    return { label: method.label, scores: Object.fromEntries(axes.map((axis) => [axis, score(axis)])) }
  })

/** A table of scores, and the places of the guaranteed tests in it. */
function withPlaces(plan: Plan, scores: Table): Table[] {
  const guaranteed = new Set(plan.methods.map(({ id }) => id))
  const places = placesTable(scores, axes, ({ id }) => guaranteed.has(id))
  return places ? [scores, places] : [scores]
}

export const scores: Protocol = {
  uses: ['tasks', 'open', 'attacks'],
  cells: scoreCells,
  say: (plans, results) => ({ summary: [scoresSentence(scored(plans, results), axes)] }),
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
  say(plans, results) {
    const sentence = axesSentence(scored(plans, results), axes)
    return {
      headline: { sentence, ...(plans[0].methods.length > 0 ? { chart: 'axes' } : {}) },
      summary: [sentence],
    }
  },
  report: (plan, results) => ({
    notes: settings(plan),
    tables: [],
    charts: plan.methods.length === 0 ? [] : [axesChart(plan, results)],
  }),
}
