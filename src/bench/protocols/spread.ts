/**
 * Figure 2: how much p-values vary after each attack. Several attacks of each kind on each text: the spread over texts and
 * the part of it that comes from the attack's own randomness.
 */

import { seededRandom } from '../../keys/stream.ts'
import type { Bar, Box, Chart, ChartOf, Row, Table, Value } from '../../report/report.ts'
import { counted } from '../../report/sentence.ts'
import { estimate } from '../../report/values.ts'
import { quantile } from '../../stats/index.ts'
import type { Method } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { spreadSentence } from '../sentences.ts'
import type { StudiedAttack } from '../study.ts'
import { pValue } from './detectability.ts'
import type { Protocol } from './protocol.ts'
import { attackedBy } from './robustness.ts'

/** The attacks of the figure: those that the paper has too. */
const attacksOf = (plan: Plan): StudiedAttack[] =>
  plan.study.attacks.filter((attack) => attack.paper !== undefined)

const trialsOf = (plan: Plan): number[] =>
  Array.from({ length: plan.study.spread.trials }, (_, trial) => trial)

/** p-values of a method under an attack: one list per text, one value per trial. */
function spreadOf(plan: Plan, results: Results, method: Method, attack: StudiedAttack): number[][] {
  const { texts } = plan.study.spread
  const byTrial = trialsOf(plan).map((trial) =>
    results.logP(attackedBy(plan, method, attack, trial, texts).tests).map(pValue),
  )
  return byTrial[0]!.map((_, i) => byTrial.map((values) => values[i]!))
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / Math.max(1, values.length - 1))
}

/** Standard error of a statistic of texts, by resampling texts. */
function bootstrapError(
  texts: readonly number[][],
  statistic: (texts: readonly number[][]) => number,
  seed: string,
): number {
  const random = seededRandom(seed)
  const draws = Array.from({ length: 200 }, () =>
    statistic(texts.map(() => texts[random.below(texts.length)]!)),
  )
  return deviation(draws)
}

/** Over all p-values, and within texts: what the attack's randomness adds. */
const total = (texts: readonly number[][]): number => deviation(texts.flat())
const within = (texts: readonly number[][]): number =>
  Math.sqrt(mean(texts.map((values) => deviation(values) ** 2)))

function table(
  plan: Plan,
  results: Results,
  id: string,
  title: string,
  caption: string,
  statistic: typeof total,
): Table {
  const rows = plan.methods.map((method): Row => {
    const cells: Record<string, Value> = {}
    for (const attack of attacksOf(plan)) {
      const texts = spreadOf(plan, results, method, attack)
      const se = bootstrapError(texts, statistic, `${plan.study.seed} ${method.id} ${attack.id} ${id}`)
      const value = statistic(texts)
      cells[attack.id] = estimate(value, se, texts.length, { low: Math.max(0, value - 1.96 * se) })
    }
    return { id: method.id, label: method.label, family: method.family, cells }
  })
  const columns = attacksOf(plan).map((attack) => ({
    id: attack.id,
    label: attack.label,
    unit: 'number' as const,
  }))
  return { id, title, caption, columns, rows }
}

function bars(plan: Plan, results: Results): ChartOf<'bars'> {
  const list = attacksOf(plan).map((attack): Bar => {
    const all = plan.methods.map((method) => spreadOf(plan, results, method, attack))
    const each = all.map(total)
    const ses = all.map((texts, i) =>
      bootstrapError(texts, total, `${plan.study.seed} bar ${attack.id} ${i}`),
    )
    const value = mean(each)
    const se = Math.sqrt(ses.reduce((sum, s) => sum + s * s, 0)) / ses.length
    return {
      label: attack.label,
      family: attack.paper === 'DIPPER' ? 'rewriting' : 'replacement',
      value,
      range: [value - 1.96 * se, value + 1.96 * se],
    }
  })
  return {
    id: 'deviation',
    kind: 'bars',
    title: 'Standard deviation of p-values by attack',
    caption:
      'Mean over methods of the standard deviation over texts and trials, with a 95% interval from resampled texts.',
    x: { label: 'attack' },
    y: { label: 'standard deviation of p' },
    bars: list,
  }
}

function boxes(plan: Plan, results: Results): Chart {
  const list = attacksOf(plan).flatMap((attack) =>
    plan.methods.map((method): Box => {
      const values = spreadOf(plan, results, method, attack).flat()
      const five = [0, 0.25, 0.5, 0.75, 1].map((level) => Math.max(1e-12, quantile(values, level)))
      return {
        label: method.label,
        family: method.family,
        series: attack.label,
        five: five as unknown as Box['five'],
      }
    }),
  )
  return {
    id: 'boxes',
    kind: 'boxes',
    title: 'p-values after attacks',
    caption: 'Smallest, quartiles and largest; p-values below 1e-12 are drawn there.',
    x: { label: 'attack' },
    y: { label: 'p-value', scale: 'log', domain: [1e-12, 1] },
    boxes: list,
  }
}

export const spread: Protocol = {
  uses: ['open', 'attacks'],
  cells: (plan) =>
    attacksOf(plan).flatMap((attack) =>
      plan.methods.flatMap((method) =>
        trialsOf(plan).flatMap(
          (trial) => attackedBy(plan, method, attack, trial, plan.study.spread.texts).tests,
        ),
      ),
    ),
  report(plan, results) {
    const chart = plan.methods.length === 0 ? undefined : bars(plan, results)
    const deviationOf = (column: StudiedAttack['paper']) => {
      const at = attacksOf(plan).findIndex((attack) => attack.paper === column)
      return chart?.bars[at]
    }
    const sentence = spreadSentence(deviationOf('DIPPER'), deviationOf('Random 30%'))
    const { texts, trials } = plan.study.spread
    return {
      headline: { sentence },
      summary: [sentence],
      notes: [
        `${counted(texts, 'text')} per method (model and dataset), ${counted(trials, 'attack')} of each kind on each.`,
        'A large deviation can mean an unstable attack, or texts some of which survive it; the second table has only the part within texts.',
        ...plan.study.settings,
      ],
      tables: [
        table(
          plan,
          results,
          'deviation',
          'Standard deviation of p-values',
          'Over texts and trials; the error is from resampled texts.',
          total,
        ),
        table(
          plan,
          results,
          'within',
          'Standard deviation within texts',
          "Root mean square over texts of the deviation between trials: the attack's own randomness.",
          within,
        ),
      ],
      charts: chart ? [chart, boxes(plan, results)] : [],
    }
  },
}
