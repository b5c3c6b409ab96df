/**
 * Figure 2: how much p-values vary after each attack. Several attacks of each kind on each text: the spread over texts and
 * the part of it that comes from the attack's own randomness.
 */

import { quantile } from '../../core/stats/index.ts'
import type { Cell } from '../cells/cell.ts'
import { impliedSpread, publishedTables } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { area, pValue } from '../report/rates.ts'
import type { Bar, Box, Chart, ChartOf, Row, Table } from '../report/report.ts'
import { counted, listed } from '../report/sentence.ts'
import { derived, estimate, exact, medianValue } from '../report/values.ts'
import { type Method, none } from '../study/methods.ts'
import type { StudiedAttack } from '../study/study.ts'
import { bootstrap, deviation, meanOf, pick } from './bootstrap.ts'
import type { Protocol } from './protocol.ts'
import { attackedBy } from './robustness.ts'
import { around, type Cells, clipped, methodRow } from './rows.ts'
import { spreadSentences, withTables } from './sentences.ts'

/** The attacks of the figure: those that the paper has too, and what stands beside one of them. */
const attacksOf = (plan: Plan): StudiedAttack[] =>
  plan.study.attacks.filter(({ paper, instead }) => (paper ?? instead) !== undefined)

/** One attack on all texts: another seed, or another temperature. */
interface AttackRun {
  readonly attack: StudiedAttack
  readonly trial: number
}

/** All runs of an attack: several seeds and, for rewriting, other temperatures. */
function runsOf(plan: Plan, attack: StudiedAttack): AttackRun[] {
  const { trials, variants = [] } = plan.study.spread
  const seeds = Array.from({ length: trials }, (_, trial) => ({ attack, trial }))
  const others =
    attack.paper === 'DIPPER' ? variants.map((id) => ({ attack: { ...attack, id }, trial: 0 })) : []
  return [...seeds, ...others]
}

const marked = (plan: Plan, method: Method, { attack, trial }: AttackRun): readonly Cell[] =>
  attackedBy(plan, method, attack, trial, plan.study.spread.texts).tests

/** Unwatermarked texts after the same attack; alignment tests get them without it, which saves hours. */
function plain(plan: Plan, method: Method, { attack, trial }: AttackRun): Cell[] {
  const { texts } = plan.study.spread
  return plan.openSources().flatMap(({ model, data }) => {
    const open = plan.open(undefined, model, data)
    return method.alignment
      ? plan.detect(method, open)
      : plan.detect(method, plan.attacked(none, open, attack, trial, texts), { attacked: true, texts })
  })
}

/** p-values of a method under an attack: one list per text, one value per run. */
function spreadOf(plan: Plan, results: Results, method: Method, attack: StudiedAttack): number[][] {
  const byRun = runsOf(plan, attack).map((run) => results.logP(marked(plan, method, run)).map(pValue))
  return byRun[0]!.map((_, i) => byRun.map((values) => values[i]!))
}

/** A statistic of texts, and its standard error by resampling texts. */
const overTexts = (
  texts: readonly number[][],
  statistic: (texts: readonly number[][]) => number,
  seed: string,
) => bootstrap((index) => statistic(pick(texts, index(texts.length))), seed)

/** Over all p-values, and within texts: what the attack's randomness adds. */
const total = (texts: readonly number[][]): number => deviation(texts.flat())
const within = (texts: readonly number[][]): number =>
  Math.sqrt(meanOf(texts.map((values) => deviation(values) ** 2)))

function table(
  plan: Plan,
  results: Results,
  id: string,
  title: string,
  caption: string,
  statistic: typeof total,
): Table {
  const rows = plan.methods.map((method): Row => {
    const cells: Cells = {}
    for (const attack of attacksOf(plan)) {
      const texts = spreadOf(plan, results, method, attack)
      const { value, se } = overTexts(texts, statistic, `${plan.study.seed} ${method.id} ${attack.id} ${id}`)
      cells[attack.id] = estimate(value, se, texts.length, { low: Math.max(0, value - 1.96 * se) })
    }
    return methodRow(method, cells)
  })
  const columns = attacksOf(plan).map((attack) => ({
    id: attack.id,
    label: attack.label,
    unit: 'number' as const,
  }))
  return { id, title, caption, columns, rows }
}

/** TPR and AUROC run by run: their mean, with an error from resampled texts, and their deviation over runs. */
function rateTable(plan: Plan, results: Results): Table {
  const level = 0.01
  const rows = plan.methods.map((method): Row => {
    const cells: Cells = {}
    for (const attack of attacksOf(plan)) {
      const texts = spreadOf(plan, results, method, attack)
      const negatives = runsOf(plan, attack).map((run) => results.logP(plain(plan, method, run)).map(pValue))
      const tpr = (some: readonly number[][]) =>
        negatives.map((_, r) => meanOf(some.map((values) => (values[r]! <= level ? 1 : 0))))
      const auroc = (some: readonly number[][]) =>
        negatives.map((plain, r) => {
          const marked = some.map((values) => values[r]!)
          return area(marked, plain).auroc
        })
      for (const [name, each] of Object.entries({ tpr, auroc })) {
        const seed = `${plan.study.seed} ${method.id} ${attack.id} ${name}`
        const { value, se } = overTexts(texts, (some) => meanOf(each(some)), seed)
        cells[`${attack.id} ${name}`] = clipped(value, Math.max(1 / texts.length, se), texts.length, [0, 1])
        cells[`${attack.id} ${name} sd`] = derived(deviation(each(texts)))
      }
    }
    return methodRow(method, cells)
  })
  const columns = attacksOf(plan).flatMap(({ id, label: group }) => [
    { id: `${id} tpr`, label: 'TPR@1%', group, unit: 'percent' as const, better: 'higher' as const },
    { id: `${id} tpr sd`, label: 'sd', group, unit: 'percent' as const },
    { id: `${id} auroc`, label: 'AUROC', group, unit: 'number' as const, better: 'higher' as const },
    { id: `${id} auroc sd`, label: 'sd', group, unit: 'number' as const },
  ])
  return {
    id: 'runs',
    title: 'TPR and AUROC over runs of an attack',
    caption:
      'Mean over runs (seeds and, for rewriting, temperatures), with an interval from resampled texts; sd: standard deviation over runs.',
    columns,
    rows,
  }
}

/** The variance of p over runs, text by text. */
function varianceTable(plan: Plan, results: Results): Table {
  const rows = plan.methods.map((method): Row => {
    const cells: Cells = {}
    for (const attack of attacksOf(plan)) {
      const each = spreadOf(plan, results, method, attack).map((values) => deviation(values) ** 2)
      cells[attack.id] = medianValue(each, [0, 0.5])
      cells[`${attack.id} most`] = derived(Math.max(...each))
    }
    return methodRow(method, cells)
  })
  const columns = attacksOf(plan).flatMap(({ id, label: group }) => [
    { id, label: 'median', group, unit: 'number' as const },
    { id: `${id} most`, label: 'largest', group, unit: 'number' as const },
  ])
  const caption =
    'Variance of p over the runs of an attack on the text of one prompt: the median over prompts and the largest.'
  return { id: 'variance', title: 'Variance per prompt', caption, columns, rows }
}

function bars(plan: Plan, results: Results): ChartOf<'bars'> {
  const list = attacksOf(plan).map((attack): Bar => {
    const each = plan.methods.map((method, i) => {
      const texts = spreadOf(plan, results, method, attack)
      return overTexts(texts, total, `${plan.study.seed} bar ${attack.id} ${i}`)
    })
    const ses = each.map(({ se }) => se)
    const value = meanOf(each.map((one) => one.value))
    const se = Math.sqrt(ses.reduce((sum, s) => sum + s * s, 0)) / ses.length
    return {
      label: attack.label,
      family: attack.paper === undefined || attack.paper === 'DIPPER' ? 'rewriting' : 'replacement',
      value,
      range: around(value, se, 0),
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

/** The deviations that the paper's own tables imply, under a model, and their ratio. */
function impliedTable(): Table {
  const found = impliedSpread(publishedTables)
  const [rewriting, replacement] = found.map(({ deviation }) => deviation) as [number, number]
  const row = (id: string, value: number): Row => ({
    id,
    label: id,
    family: '',
    cells: { deviation: exact(value) },
  })
  return {
    id: 'implied',
    title: "Deviations that the paper's tables imply",
    caption:
      'From the TPRs of tables 4 to 6, mean over the 19 methods. The model: the normal score of a p-value is normal, fitted to three rates by least squares in probits; a printed 0% or 100% counts as 0.05% or 99.95%. The paper prints no p-values under attack, so this is only as good as the model.',
    rowLabel: 'Attack',
    columns: [{ id: 'deviation', label: 'standard deviation of p', unit: 'number', digits: 3 }],
    rows: [
      ...found.map(({ attack, deviation }) => row(attack, deviation)),
      row('ratio', rewriting / replacement),
    ],
  }
}

export const spread: Protocol = {
  uses: ['open', 'attacks'],
  cells: (plan) =>
    attacksOf(plan).flatMap((attack) =>
      plan.methods.flatMap((method) =>
        runsOf(plan, attack).flatMap((run) => [...marked(plan, method, run), ...plain(plan, method, run)]),
      ),
    ),
  say: spreadSentences,
  complete: (told) =>
    told.tables.length === 0 ? told : { ...told, tables: withTables(told, impliedTable()) },
  report(plan, results) {
    const chart = plan.methods.length === 0 ? undefined : bars(plan, results)
    const { texts, trials, variants = [] } = plan.study.spread
    return {
      notes: [
        `${counted(texts, 'text')} per method (model and dataset), ${counted(trials, 'attack')} of each kind on each.${variants.length > 0 ? ` Rewriting is also run at other settings: ${listed(variants)}.` : ''}`,
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
        rateTable(plan, results),
        varianceTable(plan, results),
      ],
      charts: chart ? [chart, boxes(plan, results)] : [],
    }
  },
}
