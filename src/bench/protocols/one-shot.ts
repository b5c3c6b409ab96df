/**
 * Table 1: task metrics of every method against no watermark: many prompts, one text each, a fresh key each. Texts of two
 * methods for one prompt are a pair, exchangeable where the method is unbiased: differences are tested by betting, with
 * Bonferroni's correction over all of them.
 */
import { seededRandom } from '../../keys/stream.ts'
import { bleuOfCounts } from '../../metrics/bleu.ts'
import { publishedRow, publishedTables } from '../../paper/index.ts'
import type { Column, Row, Table, Value } from '../../report/report.ts'
import { counted } from '../../report/sentence.ts'
import { derived, estimate, mean, verdict } from '../../report/values.ts'
import { meanInterval } from '../../stats/index.ts'
import { logBetsP, logPairsP } from '../../stats/pair-bets.ts'
import { type Method, none } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { limitedClaims, oneShotSentence } from '../sentences.ts'
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
  digits: metric === 'BLEU' || metric === 'Perplexity' ? 2 : metric === 'Excess surprise' ? 2 : 4,
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
  readonly where: string
}

/** Comparisons of one method: pairs of every metric, and bets on the surprise of every task's texts. */
function comparisons(plan: Plan, results: Results, method: Method): { where: string; logP: number }[] {
  const pairs = measuresOf(plan).map((m) => {
    const [own, base] = [method, none].map((one) => scaled(m, oneShotValues(plan, results, one, m)))
    return { where: m.id, logP: logPairsP(own!.map((x, i) => x - base![i]!)) }
  })
  const bets = plan.study.tasks.map((task) => {
    const cells = plan.oneShot(method, task).blocks.map((block) => block.cell)
    return { where: `${task.name} surprise`, logP: logBetsP(results.bets(cells)) }
  })
  return [...pairs, ...bets]
}

function differences(plan: Plan, results: Results): Difference[] {
  return plan.methods.map((method) => {
    const all = comparisons(plan, results, method)
    const least = all.reduce((a, b) => (b.logP < a.logP ? b : a))
    const count = all.length * plan.methods.length
    return { method, adjusted: Math.min(1, count * Math.exp(least.logP)), where: least.where }
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

function table(plan: Plan, results: Results, found: readonly Difference[]): Table {
  const measures = measuresOf(plan)
  const rows = [none, ...plan.methods].map((method): Row => {
    const cells: Record<string, Value | null> = {}
    for (const m of measures)
      cells[m.id] = mean(oneShotValues(plan, results, method, m), {
        paper: publishedFigure('oneShot', method, m),
      })
    for (const task of withBleu(plan))
      cells[`${task.name} corpus BLEU`] = corpusValue(plan, results, method, task)
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
  say(plans, results) {
    const found = plans.map((plan) => differences(plan, results))
    const findings = plans[0].methods.map(({ id, label, unbiased }) => {
      const each = found.flatMap((list) => list.filter(({ method }) => method.id === id))
      // over models by Bonferroni
      const adjusted = plans.length * Math.min(...each.map((one) => one.adjusted))
      return { label, unbiased, seen: adjusted <= oneShotFalseAlarm }
    })
    const sentence = oneShotSentence(findings, oneShotFalseAlarm)
    return { headline: { sentence }, summary: [sentence] }
  },
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
