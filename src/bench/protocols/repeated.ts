/**
 * Table 2, SPMG: few prompts asked many times under one key. Gap to the model (dMet), DetWmk beyond an independent copy, the
 * exact permutation p-value, Theorem 2's threshold, and the query budget of Theorem 1 in a small world and on texts.
 */

import { meanInterval } from '../../core/stats/index.ts'
import { spmgThreshold } from '../../theory/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { Chart, Series, Table } from '../report/report.ts'
import { derived, exact, mean, text, verdict } from '../report/values.ts'
import type { Budget } from '../steps/budget.ts'
import type { MetricName } from '../steps/measure.ts'
import type { Drift, Repeated } from '../steps/repeat.ts'
import { type Method, none } from '../study/methods.ts'
import { type Measure, measureColumn, measuresOf, publishedFigure } from './one-shot.ts'
import type { Protocol } from './protocol.ts'
import { type Cells, methodRow } from './rows.ts'
import { limitedClaims, repeatedSentences } from './sentences.ts'

const own = (method: Method): Method | undefined => (method === none ? undefined : method)

/** Half the range of each metric: |Met - middle| is at most that. Undefined where there is no bound. */
function halfRange(plan: Plan, metric: MetricName): number | undefined {
  if (metric === 'Perplexity') return (plan.study.repeated.perplexityBound - 1) / 2
  if (metric === 'BLEU') return 50
  if (metric === 'Excess surprise') return undefined
  // a rescaled BERTScore has a longer range than [-1, 1]; the bound is for the unscaled one and only shown for the others
  return metric.startsWith('BERTScore') ? 1 : 0.5
}

export const driftOf = (plan: Plan, results: Results, method: Method, { task, metric }: Measure): Drift =>
  results.of<Repeated>(plan.drift(own(method), task)).drift[metric]!

function gapTable(plan: Plan, results: Results): Table {
  const measures = measuresOf(plan)
  const rows = [none, ...plan.methods].map((method) => {
    const cells: Cells = {}
    for (const m of measures) {
      const { gaps, copyGaps } = driftOf(plan, results, method, m)
      // without a watermark: the gap between the model and its copy, the noise floor of the method rows
      cells[m.id] = mean(method === none ? copyGaps : gaps, { paper: publishedFigure('repeated', method, m) })
    }
    return methodRow(method, cells)
  })
  return {
    id: 'table2',
    title: 'Gap to the model under repeated prompts (dMet)',
    caption:
      'Mean over prompts of the distance between mean metrics; without a watermark: between the model and an independent copy.',
    columns: measures.map((m) => ({ ...measureColumn(m), better: 'lower' as const })),
    rows,
  }
}

function detTable(plan: Plan, results: Results): Table {
  const measures = measuresOf(plan)
  const { prompts, generations } = plan.study.repeated
  const rows = [none, ...plan.methods].map((method) => {
    const cells: Cells = {}
    for (const m of measures) {
      const { gaps, copyGaps, pValue } = driftOf(plan, results, method, m)
      cells[m.id] = mean(gaps.map((gap, i) => gap - copyGaps[i]!))
      cells[`${m.id} p`] = derived(pValue, { note: 'permutation test' })
    }
    return methodRow(method, cells)
  })
  const threshold = (m: Measure, form: 'theorem' | 'sharp') => {
    const bound = halfRange(plan, m.metric)
    return bound === undefined
      ? null
      : exact(spmgThreshold({ generations, prompts, bound, alpha: 0.05, form }))
  }
  const bounds = (['theorem', 'sharp'] as const).map((form) => ({
    id: `threshold ${form}`,
    label: form === 'theorem' ? 'threshold at 5%, Theorem 2' : 'threshold at 5%, constant 4',
    family: '',
    cells: Object.fromEntries(
      measures.flatMap((m) => [
        [m.id, threshold(m, form)],
        [`${m.id} p`, null],
      ]),
    ),
  }))
  const columns = measures.flatMap((m) => {
    const column = measureColumn(m)
    const p = { id: `${m.id} p`, label: 'p', unit: 'p-value' as const, group: column.group! }
    return [{ ...column, label: `DetWmk ${column.label}` }, p]
  })
  const caption =
    'dMet beyond that of an independent copy, with the p-value of the exact permutation test (9,999 reassignments). The last rows give the thresholds of Theorem 2.'
  return { id: 'detwmk', title: 'DetWmk and its test', caption, columns, rows: [...rows, ...bounds] }
}

/** The smallest number of generations per prompt at which at least half of the subsets are told from the model. */
function textBudget(plan: Plan, results: Results, method: Method): number | undefined {
  const sizes = plan.repeatSizes()
  const power = (size: number) =>
    Math.max(
      ...plan.study.tasks.map(
        (task) => results.of<Repeated>(plan.drift(own(method), task)).rejected[size]! / 20,
      ),
    )
  return sizes.find((size) => power(size) >= 0.5)
}

function budgetTable(plan: Plan, results: Results): Table {
  const most = plan.repeatSizes().at(-1)!
  const rows = [none, ...plan.methods].map((method) => {
    const budget = method === none ? undefined : results.of<Budget>(plan.budget(method))
    const step = (x: number | null | undefined) =>
      x === undefined ? text('never') : x === null ? text('not computed') : exact(x)
    const texts = textBudget(plan, results, method)
    return methodRow(method, {
      informed: step(budget?.informed),
      blind: step(budget?.blind),
      affected: exact(budget?.affected ?? 0),
      keys: text(budget ? (budget.exact ? 'all codes' : 'sampled keys') : 'exact'),
      texts: texts === undefined ? verdict(`more than ${most}`) : derived(texts),
    })
  })
  return {
    id: 'budget',
    title: 'Query budget',
    caption:
      'Step: queries of one step with probabilities 0.5, 0.3, 0.2 until the total variation reaches 1/2, for an observer who knows the key (median over keys) or not. Numbers over sampled keys are upper ends of brackets; "not computed" is a number beyond what was tried, since Theorem 1 says that some number suffices. Texts: generations per prompt at which the permutation test at 5% finds the drift in at least half of 20 random subsets.',
    columns: [
      { id: 'informed', label: 'step, informed', unit: 'count' },
      { id: 'blind', label: 'step, blind', unit: 'count' },
      { id: 'affected', label: 'keys that change the step', unit: 'percent', digits: 0 },
      { id: 'keys', label: 'computed over', unit: 'text' },
      { id: 'texts', label: 'texts', unit: 'count' },
    ],
    rows,
  }
}

/** DetWmk against the number of generations, as a multiple of its noise: how the drift comes out of chance. */
function curve(plan: Plan, results: Results, m: Measure): Chart {
  const series = [none, ...plan.methods].map((method): Series => {
    const { curve: by, gaps, copyGaps } = driftOf(plan, results, method, m)
    const points = Object.entries(by).map(([size, values]) => {
      const { mean: value, low, high } = meanInterval(values)
      return [Number(size), value, low, high] as const
    })
    const last = meanInterval(gaps.map((gap, i) => gap - copyGaps[i]!))
    return {
      label: method.label,
      family: method.family,
      points: [...points, [plan.study.repeated.generations, last.mean, last.low, last.high]],
    }
  })
  return {
    id: `detwmk-${m.task.name}-${m.metric}`.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    kind: 'lines',
    title: `DetWmk against the number of generations: ${m.metric}, ${m.task.label}`,
    caption:
      'Mean over random subsets of the generations; the last point uses all, with a t interval over prompts.',
    x: {
      label: 'generations per prompt',
      scale: 'log',
      ticks: [...plan.repeatSizes(), plan.study.repeated.generations],
    },
    y: { label: 'DetWmk' },
    series,
  }
}

function budgetChart(plan: Plan, results: Results): Chart {
  const bars = plan.methods.flatMap((method) => {
    const { informed } = results.of<Budget>(plan.budget(method))
    return informed === null ? [] : [{ label: method.label, family: method.family, value: informed }]
  })
  return {
    id: 'budget',
    kind: 'bars',
    title: 'Query budget of one step, informed observer',
    caption:
      'Queries until an observer with the key can tell the method from no watermark with total variation 1/2.',
    x: { label: 'method' },
    y: { label: 'queries', scale: 'log' },
    bars,
  }
}

export const repeated: Protocol = {
  uses: ['tasks'],
  cells: (plan) => [
    ...[undefined, ...plan.methods].flatMap((method) =>
      plan.study.tasks.map((task) => plan.drift(method, task)),
    ),
    ...plan.methods.map((method) => plan.budget(method)),
  ],
  say: repeatedSentences,
  report(plan, results) {
    const measures = measuresOf(plan)
    const { generations } = plan.study.repeated
    const chosen = plan.study.tasks.map(
      (task) => measures.find((m) => m.task === task && m.metric !== 'Perplexity')!,
    )
    return {
      notes: [
        'Model, copy and method are sampled independently; the key is the same for all texts of a method.',
        `Perplexity is clipped at ${plan.study.repeated.perplexityBound}, so that it is bounded as Theorem 2 asks. The text of the paper prints the threshold with A squared; the one here follows from its inequality.`,
        `${generations} generations per prompt, where the paper has 1000: the noise floor, the gap between two copies of the model, is about ${Math.sqrt(1000 / generations).toFixed(1)} times as high.`,
        'Excess surprise has no bound, so Theorem 2 gives no threshold for it; its permutation test is exact all the same.',
        'Intervals are over prompts. A method that drifts for some prompts and not for others has a wide one.',
        ...limitedClaims(plan.methods),
        ...plan.study.settings,
      ],
      tables: [gapTable(plan, results), detTable(plan, results), budgetTable(plan, results)],
      charts: [...chosen.map((m) => curve(plan, results, m)), budgetChart(plan, results)],
    }
  },
}
