/**
 * Table 1: task metrics of every method against no watermark: many prompts, one text each, a fresh key each. Texts of two
 * methods for one prompt are a pair, exchangeable where the method is unbiased: differences are tested by betting, with
 * Bonferroni's correction over all of them.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { logBetsP, logPairsP, meanInterval, normalQuantile } from '../../core/stats/index.ts'
import { bleuOfCounts } from '../../text/metrics/index.ts'
import { publishedTables } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { Column, Row, Table, Value } from '../report/report.ts'
import { counted } from '../report/sentence.ts'
import { derived, estimate, exact, mean, verdict } from '../report/values.ts'
import type { MetricName } from '../steps/measure.ts'
import { type Method, none } from '../study/methods.ts'
import type { Task } from '../study/study.ts'
import type { Protocol } from './protocol.ts'
import { type Cells, methodRow, paperFigure } from './rows.ts'
import {
  FALSE_ALARM,
  limitedClaims,
  modelTables,
  numberIn,
  oneShotSentences,
  PLAIN,
  withTables,
} from './sentences.ts'

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

const paperColumn = ({ id }: Measure): string => id.replace('Perplexity', 'perplexity')

/** The published figure of a method, where there is one. */
export const publishedFigure = (which: 'oneShot' | 'repeated', method: Method, measure: Measure) =>
  paperFigure(method, which, paperColumn(measure))

/** Tells whether the paper's scores use this metric. */
export const inScores = (measure: Measure): boolean => paperColumn(measure) in publishedTables.oneShot.columns

export const measureColumn = ({ id, task, metric }: Measure): Column => ({
  id,
  label: metric,
  group: task.label,
  unit: 'number',
  digits: ['BLEU', 'Perplexity', 'Excess surprise'].includes(metric) ? 2 : 4,
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

/** Perplexities are compared on the log scale, where a factor is a shift. */
const scaled = ({ metric }: Measure, values: readonly number[]) =>
  metric === 'Perplexity' ? values.map(Math.log) : values

interface Difference {
  readonly method: Method
  /** Smallest p-value over the metrics, times the number of comparisons of the table. */
  readonly adjusted: number
}

/** Comparisons of one method: pairs of every metric, and bets on the surprise of every task's texts. */
function comparisons(plan: Plan, results: Results, method: Method): number[] {
  const pairs = measuresOf(plan).map((m) => {
    const [own, base] = [method, none].map((one) => scaled(m, oneShotValues(plan, results, one, m)))
    return logPairsP(own!.map((x, i) => x - base![i]!))
  })
  const bets = plan.study.tasks.map((task) => {
    const cells = plan.oneShot(method, task).blocks.map((block) => block.cell)
    return logBetsP(results.bets(cells))
  })
  return [...pairs, ...bets]
}

function differences(plan: Plan, results: Results): Difference[] {
  return plan.methods.map((method) => {
    const all = comparisons(plan, results, method)
    const count = all.length * plan.methods.length
    return { method, adjusted: Math.min(1, count * Math.exp(Math.min(...all))) }
  })
}

/** BLEU of the whole corpus of a task's texts, with its error from resampled texts. */
function corpusValue(plan: Plan, results: Results, method: Method, task: Task): Value {
  const counts = results.bleuCounts(cellsOf(plan, method === none ? undefined : method, task))
  const random = seededRandom(plan.study.seed, 'corpus BLEU', method.id)
  const draws = Array.from({ length: 200 }, () =>
    bleuOfCounts(counts.map(() => counts[random.below(counts.length)]!)),
  )
  const { standardError, n } = meanInterval(draws)
  return estimate(bleuOfCounts(counts), Math.max(1e-6, standardError * Math.sqrt(n)), counts.length)
}

const withBleu = (plan: Plan): Task[] => plan.study.tasks.filter(({ metrics }) => metrics.includes('BLEU'))

/** The verdict on an adjusted p-value. */
const verdictOn = (adjusted: number): Value => verdict(adjusted <= FALSE_ALARM ? 'differs' : 'within chance')

/** The power of the test of pairs at a level: the least shift, in deviations of a difference, that is seen with 90%, by simulation. */
function leastShift(n: number, level: number): number {
  const random = seededRandom('smallest shift', n)
  const trials = Array.from({ length: 100 }, () =>
    Array.from({ length: n }, () => normalQuantile((random.below(2 ** 31) + 0.5) / 2 ** 31)),
  )
  const most = Math.log(level)
  const power = (shift: number) =>
    trials.filter((draws) => logPairsP(draws.map((x) => x + shift)) <= most).length / trials.length
  let [low, high] = [0, 4]
  while (high - low > 0.005) {
    const middle = (low + high) / 2
    if (power(middle) >= 0.9) high = middle
    else low = middle
  }
  return high
}

/** The rows of one model in {@link powerTable}. */
function powerRows({ id, columns, rows }: Table, models: number): Row[] {
  const plain = rows.find((row) => row.id === PLAIN)
  const metrics = columns.filter(({ group, label }) => group !== AGAINST && label !== 'corpus BLEU')
  const tasks = [...new Set(metrics.map(({ group }) => group ?? ''))]
  const comparisons = (metrics.length + tasks.length) * rows.filter((row) => row.id !== PLAIN).length
  const level = FALSE_ALARM / Math.max(1, comparisons * models)
  const model = id.replace(/^table1-?/, '')
  return tasks.flatMap((task): Row[] => {
    const value = metrics.flatMap((one) => (one.group === task ? (numberIn(plain, one.id) ?? []) : []))[0]
    if (!value || !('n' in value)) return []
    const cells = { shift: exact(leastShift(value.n, level)), n: exact(value.n), level: exact(level) }
    return [{ id: `${task} ${model}`, label: model ? `${task} (${model})` : task, family: '', cells }]
  })
}

/** The differences that table 1 would have shown, model by model. */
export function powerTable(each: readonly Table[]): Table {
  return {
    id: 'power',
    title: 'The smallest difference that would have been seen',
    caption:
      'A shift of the difference between a method and no watermark, in standard deviations of that difference, which the test of pairs finds with a probability of 90% at the level of one comparison (normal differences, 100 simulated samples). Bets on surprise go over all tokens and are not part of this.',
    rowLabel: 'Task',
    columns: [
      { id: 'shift', label: 'smallest shift', unit: 'number', digits: 2 },
      { id: 'n', label: 'prompts', unit: 'count' },
      { id: 'level', label: 'level', unit: 'p-value' },
    ],
    rows: each.flatMap((table) => powerRows(table, each.length)),
  }
}

/** The columns that compare with no watermark. */
const AGAINST = 'against no watermark'

function table(plan: Plan, results: Results, found: readonly Difference[]): Table {
  const measures = measuresOf(plan)
  const rows = [none, ...plan.methods].map((method): Row => {
    const cells: Cells = {}
    for (const m of measures)
      cells[m.id] = mean(oneShotValues(plan, results, method, m), {
        paper: publishedFigure('oneShot', method, m),
      })
    for (const task of withBleu(plan))
      cells[`${task.name} corpus BLEU`] = corpusValue(plan, results, method, task)
    const difference = found.find((d) => d.method.id === method.id)
    cells.adjusted = difference ? derived(difference.adjusted) : null
    cells.verdict = difference ? verdictOn(difference.adjusted) : null
    return methodRow(method, cells)
  })
  return {
    id: 'table1',
    title: 'One-shot quality',
    caption:
      'Means over prompts, one text each, a fresh key each. Adjusted p: smallest p-value by betting against no watermark, times the number of comparisons in the table.',
    columns: [
      ...measures.map(measureColumn),
      ...withBleu(plan).map((task) => ({
        id: `${task.name} corpus BLEU`,
        label: 'corpus BLEU',
        group: task.label,
        unit: 'number' as const,
        digits: 2,
      })),
      { id: 'adjusted', label: 'adjusted p', group: AGAINST, unit: 'p-value', first: true },
      { id: 'verdict', label: 'verdict', group: AGAINST, unit: 'text', first: true },
    ],
    rows,
  }
}

export const oneShot: Protocol = {
  uses: ['tasks'],
  cells: (plan) =>
    [undefined, ...plan.methods].flatMap((m) => plan.study.tasks.flatMap((task) => cellsOf(plan, m, task))),
  say: oneShotSentences,
  complete: (told) => ({ ...told, tables: withTables(told, powerTable(modelTables(told, 'table1'))) }),
  report(plan, results) {
    const found = differences(plan, results)

    const sizes = plan.study.tasks.map((task) => `${counted(task.prompts, 'prompt')} (${task.label})`)
    return {
      notes: [
        `${sizes.join(', ')}; texts of different methods are independent given the prompt.`,
        'Verdicts are by betting, at a rate that holds for any sample size and any law of the metrics. If a method is unbiased, its text and the text without a watermark for the same prompt are exchangeable: each difference of a metric is as likely positive as negative. And each token is as surprising as the entropy says, whatever came before: the bets on more surprise than that go over all tokens.',
        'BLEU is the mean of smoothed sentence BLEU (0 to 100), beside that of the whole corpus, where counts are added over all texts first. BERTScore is rescaled with the mean score of unrelated references as its baseline.',
        'Perplexity is that of the distribution which was sampled from, before the watermark, at the temperature of the study (unless a judge is declared).',
        'Excess surprise is the sum over a text of -ln p minus the entropy, in nats: its expectation is exactly 0 for every method that samples without bias, whatever the prompt, and also where texts end early. (The mean per token is not: short texts are those that ended early.)',
        'The unadjusted columns have one interval each; the verdict holds for the whole table at once.',
        ...limitedClaims(plan.methods),
        ...plan.study.settings,
      ],
      tables: [table(plan, results, found)],
      charts: [],
    }
  },
}
