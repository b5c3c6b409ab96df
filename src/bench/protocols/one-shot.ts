/**
 * Table 1: task metrics of every method against no watermark: many prompts, one text each, a fresh key each. Texts of two
 * methods for one prompt are a pair: differences are tested by the paired t test, with Bonferroni's correction over all of them.
 */
import { publishedRow, publishedTables } from '../../paper/index.ts'
import type { Column, Row, Table, Value } from '../../report/report.ts'
import { counted } from '../../report/sentence.ts'
import { derived, mean, verdict } from '../../report/values.ts'
import { logStudentTail, meanInterval } from '../../stats/index.ts'
import { type Method, none } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { oneShotSentence } from '../sentences.ts'
import type { MetricName } from '../steps/measure.ts'
import type { Task } from '../study.ts'
import type { Protocol } from './protocol.ts'

/** Chance that some unbiased method is called different although none is; also the level at which biased ones must be. */
export const oneShotFalseAlarm = 1e-6

/** One metric of one task: the columns of tables 1 and 2. */
export interface Measure {
  readonly task: Task
  readonly metric: MetricName
  readonly id: string
}

export const measuresOf = (plan: Plan): Measure[] =>
  plan.study.tasks.flatMap((task) =>
    task.metrics.map((metric) => ({ task, metric, id: `${task.name} ${metric}` })),
  )

type PaperColumn = keyof typeof publishedTables.oneShot.columns
const paperColumn = ({ id }: Measure): PaperColumn | undefined => {
  const name = id.replace('Perplexity', 'perplexity')
  return name in publishedTables.oneShot.columns ? (name as PaperColumn) : undefined
}

/** The published figure of a method, where there is one. */
export function publishedFigure(
  which: 'oneShot' | 'repeated',
  method: Method,
  measure: Measure,
): number | undefined {
  const column = paperColumn(measure)
  if (!method.paper || !column) return undefined
  return publishedRow(publishedTables[which], method.paper).figures[column].value
}

/** Whether the paper's scores use this metric. */
export const inScores = (measure: Measure): boolean => paperColumn(measure) !== undefined

export const measureColumn = ({ id, task, metric }: Measure): Column => ({
  id,
  label: metric,
  group: task.label,
  unit: 'number',
  digits: metric === 'BLEU' || metric === 'Perplexity' ? 2 : metric === 'Excess surprise' ? 3 : 4,
})

const cellsOf = (plan: Plan, method: Method | undefined, task: Task) =>
  plan.measure(plan.oneShot(method, task), task)

/** Values of one metric, prompt by prompt. */
export const oneShotValues = (
  plan: Plan,
  results: Results,
  method: Method,
  { task, metric }: Measure,
): number[] => results.metric(cellsOf(plan, method === none ? undefined : method, task), metric)

/** Two-sided p-value of a paired t test; 1 where nothing differs. */
function pairedP(a: readonly number[], b: readonly number[]): number {
  const { mean: shift, standardError, n } = meanInterval(a.map((x, i) => x - b[i]!))
  if (standardError === 0) return shift === 0 ? 1 : 0
  return Math.min(1, 2 * Math.exp(logStudentTail(Math.abs(shift) / standardError, n - 1)))
}

/** Perplexities are compared on the log scale, where a factor is a shift. */
const scaled = ({ metric }: Measure, values: readonly number[]) =>
  metric === 'Perplexity' ? values.map(Math.log) : values

interface Difference {
  readonly method: Method
  /** Smallest p-value over the metrics, times the number of comparisons of the table. */
  readonly adjusted: number
  readonly where: string
}

function differences(plan: Plan, results: Results): Difference[] {
  const measures = measuresOf(plan)
  const count = measures.length * plan.methods.length
  // the expected excess surprise without bias is known, 0: no need to estimate it from another sample
  const base = measures.map((m) => {
    const values = scaled(m, oneShotValues(plan, results, none, m))
    return m.metric === 'Excess surprise' ? values.map(() => 0) : values
  })
  return plan.methods.map((method) => {
    const ps = measures.map((m, i) => pairedP(scaled(m, oneShotValues(plan, results, method, m)), base[i]!))
    const least = ps.indexOf(Math.min(...ps))
    return { method, adjusted: Math.min(1, count * ps[least]!), where: measures[least]!.id }
  })
}

function table(plan: Plan, results: Results, found: readonly Difference[]): Table {
  const measures = measuresOf(plan)
  const rows = [none, ...plan.methods].map((method): Row => {
    const cells: Record<string, Value | null> = {}
    for (const m of measures)
      cells[m.id] = mean(oneShotValues(plan, results, method, m), {
        paper: publishedFigure('oneShot', method, m),
      })
    const difference = found.find((d) => d.method.id === method.id)
    cells.adjusted = difference ? derived(difference.adjusted) : null
    const differs = difference && difference.adjusted <= oneShotFalseAlarm
    cells.verdict = difference ? verdict(differs ? `differs (${difference.where})` : 'within chance') : null
    return { id: method.id, label: method.label, family: method.family, cells }
  })
  return {
    id: 'table1',
    title: 'One-shot quality',
    caption:
      'Means over prompts, one text each, a fresh key each. Adjusted p: smallest p-value of a paired t test against no watermark (log scale for perplexity; excess surprise against its expectation 0), times the number of comparisons in the table.',
    columns: [
      ...measures.map(measureColumn),
      { id: 'adjusted', label: 'adjusted p', group: 'against no watermark', unit: 'p-value', first: true },
      { id: 'verdict', label: 'verdict', group: 'against no watermark', unit: 'text', first: true },
    ],
    rows,
  }
}

export const oneShot: Protocol = {
  uses: ['tasks'],
  cells: (plan) =>
    [undefined, ...plan.methods].flatMap((m) => plan.study.tasks.flatMap((task) => cellsOf(plan, m, task))),
  report(plan, results) {
    const found = differences(plan, results)
    const findings = found.map(({ method: { label, unbiased }, adjusted }) => ({
      label,
      unbiased,
      seen: adjusted <= oneShotFalseAlarm,
    }))
    const sentence = oneShotSentence(findings, oneShotFalseAlarm)
    const sizes = plan.study.tasks.map((task) => `${counted(task.prompts, 'prompt')} (${task.label})`)
    return {
      headline: { sentence },
      summary: [sentence],
      notes: [
        `${sizes.join(', ')}; texts of different methods are independent given the prompt.`,
        'BLEU is the mean of smoothed sentence BLEU (0 to 100). BERTScore is rescaled with the mean score of unrelated references as its baseline.',
        'Perplexity is that of the distribution which was sampled from, before the watermark, as in the paper, where both have temperature 1 (unless a judge is declared).',
        'Excess surprise is the mean of -ln p beyond the entropy, per token, in nats: its expectation is exactly 0 for every method that samples without bias, whatever the prompt, which makes it the sharpest column of the table.',
        'The unadjusted columns have one interval each; the verdict holds for the whole table at once.',
        ...plan.study.settings,
      ],
      tables: [table(plan, results, found)],
      charts: [],
    }
  },
}
