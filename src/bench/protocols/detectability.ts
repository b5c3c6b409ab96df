/**
 * Table 3, detectability: TPR at guaranteed false-positive rates, with the detector's own p-value as the
 * threshold, median p-value, AUROC against matched texts without a watermark (same prompts, same keys), and TPR by length.
 */

import { clopperPearson } from '../../core/stats/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { hits, levels, medianP, rates, share } from '../report/rates.ts'
import type { Chart, Row, Series, Table } from '../report/report.ts'
import { counted, listed, verb } from '../report/sentence.ts'
import { mean } from '../report/values.ts'
import { type Method, none } from '../study/methods.ts'
import { meanOf } from './bootstrap.ts'
import { humanFalsePositives } from './human.ts'
import type { Protocol } from './protocol.ts'
import { alarms, type Cells, clipped, methodRow, paperFigure, rateColumns } from './rows.ts'
import { detectabilitySentences } from './sentences.ts'

type Source = ReturnType<Plan['openSources']>[number]

const positives = (plan: Plan, method: Method, { model, data }: Source) =>
  plan.detect(method, plan.open(method, model, data), { lengths: true })
const negatives = (plan: Plan, method: Method, { model, data }: Source) =>
  plan.detect(method, plan.open(undefined, model, data))

export interface Tested {
  readonly method: Method
  /** ln p of watermarked texts and of unwatermarked ones under the same keys, over all models and datasets. */
  readonly marked: readonly number[]
  readonly plain: readonly number[]
}

/** All p-values of table 3, method by method. */
export const tested = (
  plan: Plan,
  results: Results,
  sources: readonly Source[] = plan.openSources(),
): Tested[] =>
  plan.detected.map((method) => ({
    method,
    marked: sources.flatMap((source) => results.logP(positives(plan, method, source))),
    plain: sources.flatMap((source) => results.logP(negatives(plan, method, source))),
  }))

interface Texts {
  readonly entropy: readonly number[]
  readonly perplexity: readonly number[]
}

function row(plan: Plan, results: Results, { method, marked, plain }: Tested, texts: Texts): Row {
  const paper = (column: string) => paperFigure(method, 'detection', column)
  const { tpr, fpr, auroc } = rates(marked, plain, paper)
  const cells: Cells = {}
  for (const [i, { rate, id }] of levels.entries()) {
    cells[`tpr${id}`] = tpr[i]!
    cells[`fpr${id}`] = fpr[i]!
    cells[`human${id}`] = humanFalsePositives(plan, results, method, 'whole', rate)
  }
  cells.median = medianP(marked, paper('median p-value'))
  cells.auroc = auroc
  cells.entropy = mean(texts.entropy)
  cells.perplexity = mean(texts.perplexity)
  return methodRow(method, cells)
}

/** Unwatermarked texts under all guaranteed detectors: the share of detectors that a text sets off, averaged over texts. */
function plainRow(tests: readonly Tested[], texts: Texts): Row {
  const all = tests.filter(({ method }) => method.guaranteed).map(({ plain }) => plain)
  const cells: Cells = {
    median: null,
    auroc: null,
    entropy: mean(texts.entropy),
    perplexity: mean(texts.perplexity),
  }
  for (const { rate, id } of levels) {
    cells[`tpr${id}`] = alarms(all, rate, 'false positives, mean over the guaranteed detectors')
    cells[`fpr${id}`] = null
    cells[`human${id}`] = null
  }
  return methodRow(none, cells)
}

export function detectionTable(
  plan: Plan,
  results: Results,
  id: string,
  title: string,
  sources: readonly Source[],
): Table {
  const all = tested(plan, results, sources)
  const texts = (method: Method | undefined): Texts => {
    const cells = sources.flatMap(({ model, data }) =>
      plan.open(method, model, data).blocks.map((block) => block.cell),
    )
    return { entropy: results.entropy(cells), perplexity: results.perplexity(cells) }
  }
  return {
    id,
    title,
    caption:
      'TPR: share of texts with p at most the rate. Measured FPR: the same for unwatermarked texts of the same prompts under the same keys, and for human-written text under fresh keys (interval over passages). A "published test" is that of the published code on the same texts: its p-values promise nothing. The row without a watermark gives the share of all guaranteed detectors that its texts set off.',
    columns: [
      ...rateColumns('tpr', 'TPR@', { group: 'detection', texts: 'written', better: 'higher' }),
      {
        id: 'median',
        label: 'median p',
        group: 'detection',
        texts: 'written',
        unit: 'p-value',
        better: 'lower',
      },
      { id: 'auroc', label: 'AUROC', group: 'detection', unit: 'number', better: 'higher' },
      ...rateColumns('fpr', 'FPR@', { group: 'measured false positives', texts: 'unmarked' }),
      ...rateColumns('human', 'FPR@', { group: 'on human-written text' }),
      { id: 'entropy', label: 'entropy (nats)', group: 'texts', unit: 'number', digits: 2 },
      { id: 'perplexity', label: 'perplexity', group: 'texts', unit: 'number', digits: 2 },
    ],
    rows: [plainRow(all, texts(undefined)), ...all.map((one) => row(plan, results, one, texts(one.method)))],
  }
}

/** A point of a curve: TPR with its interval. */
function rated(x: number, logP: readonly number[], rate: number) {
  const { low, high } = clopperPearson(hits(logP, rate), logP.length)
  return [x, share(logP, rate), low, high] as const
}

function lengthChart(plan: Plan, results: Results): Chart {
  const { lengths, tokens } = plan.study.open
  const rate = 0.01
  const series = plan.methods.map((method): Series => {
    const cells = plan.openSources().flatMap((source) => positives(plan, method, source))
    const points = [...lengths.filter((n) => n < tokens), tokens].flatMap((n) => {
      const logP = results.logP(cells, n < tokens ? n : undefined)
      if (logP.length === 0) return []
      return [rated(n, logP, rate)]
    })
    return { label: method.label, family: method.family, points }
  })
  return {
    id: 'length',
    kind: 'lines',
    title: 'Detection against length of text',
    caption:
      'TPR at a guaranteed false-positive rate of 1% on the first tokens of the same texts. On the page a line that is pointed at shows its 95% interval.',
    x: { label: 'tokens' },
    y: { label: 'TPR at FPR 1%', percent: true, domain: [0, 1] },
    series,
  }
}

/** Guaranteed false-positive rates at which detection is drawn. */
const drawn = [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1]

/** Detection at every guaranteed rate: what a ROC curve of so few texts cannot show below one in as many. */
function levelChart(tests: readonly Tested[]): Chart {
  const series = tests
    .filter(({ method, marked }) => method.guaranteed && marked.length > 0)
    .map(({ method, marked }): Series => {
      const points = drawn.map((rate) => rated(rate, marked, rate))
      return { label: method.label, family: method.family, points }
    })
  return {
    id: 'level',
    kind: 'lines',
    title: 'Detection against the false-positive rate',
    caption:
      'Share of texts with p at most the rate: the guaranteed tests hold it at every rate, however small. Tests by permutation end at 2 / (1 + runs).',
    x: { label: 'guaranteed false-positive rate', scale: 'log', domain: [1e-6, 0.1], ticks: drawn },
    y: { label: 'true-positive rate', percent: true, domain: [0, 1] },
    series,
  }
}

/** Corners of a ROC curve to draw. */
const MAX_ROC_POINTS = 60

/** The ROC curve as corner points. */
function roc({ marked, plain, method }: Tested): Series {
  const cuts = [...new Set([...marked, ...plain])].sort((a, b) => a - b)
  const upTo = (list: readonly number[], cut: number) => list.filter((x) => x <= cut).length / list.length
  const step = Math.max(1, Math.floor(cuts.length / MAX_ROC_POINTS))
  const kept = cuts.filter((_, i) => i % step === 0 || i === cuts.length - 1)
  const points = kept.map((cut): [number, number] => [upTo(plain, cut), upTo(marked, cut)])
  return { label: method.label, family: method.family, points: [[0, 0], ...points, [1, 1]] }
}

/** The mean over sources of every rate, as the paper has it. */
function averaged(overall: Table, each: readonly Table[]): Table {
  const rows = overall.rows.map((row): Row => {
    const cells: Cells = {}
    for (const { id, unit } of overall.columns) {
      const values = each.flatMap((table) => table.rows.find((own) => own.id === row.id)?.cells[id] ?? [])
      const numbers = values.flatMap((one) => (one.kind === 'text' ? [] : [one.value]))
      const se = Math.hypot(...values.map((one) => ('low' in one ? (one.high - one.low) / 3.92 : 0)))
      const n = numbers.length
      const range = unit !== 'number' || id === 'auroc' ? ([0, 1] as const) : ([-Infinity, Infinity] as const)
      cells[id] = n < each.length ? null : clipped(meanOf(numbers), se / n, n, range, row.cells[id]?.paper)
    }
    return { ...row, cells }
  })
  const caption =
    'Means over models and datasets of what the other tables show for each; medians are averaged too.'
  return { ...overall, id: 'table3-mean', title: 'Detectability, averaged', caption, rows }
}

/** Texts have full length, past the model's end token where it comes earlier. */
function endNote(plan: Plan, results: Results): string[] {
  const ended = plan
    .openSources()
    .flatMap(({ model, data }) =>
      results.ended(plan.open(undefined, model, data).blocks.map((block) => block.cell)),
    )
  const past = ended.filter((at) => at >= 0 && at < plan.study.open.tokens - 1).length
  if (past === 0) return []
  return [
    `Texts have full length: ${past} of ${counted(ended.length, 'text')} without a watermark ${verb(past, 'runs', 'run')} on past the model's end token, which is itself not scored. The authors' code (RayRuiboChen/MCMark) evaluates texts of at least 510 tokens only.`,
  ]
}

/** Says which methods are tested by alignment, and on how many texts. */
function alignmentNote(plan: Plan): string[] {
  const slow = plan.methods.filter((method) => method.alignment).map(({ label }) => label)
  const { texts, runs } = plan.study.alignment
  if (slow.length === 0) return []
  return [
    `${listed(slow)} ${verb(slow.length, 'is', 'are')} tested by alignment, on the first ${counted(texts, 'text')} with at most ${counted(runs, 'permutation run')}; smaller p-values come from the guaranteed shift bound.`,
  ]
}

export const detectability: Protocol = {
  uses: ['open'],
  cells: (plan) =>
    plan
      .openSources()
      .flatMap((source) => [
        ...plan.open(undefined, source.model, source.data).blocks.map((block) => block.cell),
        ...plan.detected.flatMap((method) => [
          ...positives(plan, method, source),
          ...negatives(plan, method, source),
          ...plan.human(method, 'whole'),
        ]),
      ]),
  say: detectabilitySentences,
  report(plan, results) {
    const sources = plan.openSources()
    const all = tested(plan, results)
    const overall = detectionTable(plan, results, 'table3', 'Detectability', sources)
    const each =
      sources.length > 1
        ? sources.map((source) => {
            const name = `${source.model.id}, ${source.data}`
            return detectionTable(
              plan,
              results,
              `table3-${source.model.id}-${source.data}`.replace(/[^\w-]+/g, '-'),
              name,
              [source],
            )
          })
        : []
    const { prompts, tokens } = plan.study.open
    return {
      notes: [
        `${counted(prompts, 'prompt')} per model and dataset, ${counted(tokens, 'token')} each, a fresh key per prompt, so that texts are independent trials.`,
        ...alignmentNote(plan),
        ...(plan.methods.some(({ skips }) => skips)
          ? [
              'Methods with contexts of n tokens leave a context that the text already used unmarked, and guaranteed tests do not score it, unless the row says "no skipping"; published tests score every token. The published code of biased methods marks every position.',
            ]
          : []),
        ...endNote(plan, results),
        'Perplexity is that of the distribution which was sampled from, before the watermark.',
        ...(sources.length > 1
          ? [
              'The first table pools the texts of all models and datasets; the second averages their rates, as the paper does.',
            ]
          : []),
        'Thresholds are analytic: a text is detected at rate a when its p-value is at most a. Nothing is fitted to the negatives.',
        ...plan.study.settings,
      ],
      tables: [overall, ...(each.length > 0 ? [averaged(overall, each)] : []), ...each],
      charts:
        all.length === 0
          ? []
          : [
              lengthChart(plan, results),
              levelChart(all),
              {
                id: 'roc',
                kind: 'lines',
                diagonal: true,
                title: 'ROC curves',
                caption:
                  'Watermarked texts against unwatermarked texts of the same prompts, both under the same keys. Dotted: chance.',
                x: { label: 'false-positive rate', domain: [0, 1], percent: true },
                y: { label: 'true-positive rate', domain: [0, 1], percent: true },
                series: all.map(roc),
              },
            ],
    }
  },
}
