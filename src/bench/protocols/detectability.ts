/**
 * Table 3: how surely texts are detected: TPR at guaranteed false-positive rates, with the detector's own p-value as the
 * threshold, median p-value, AUROC against matched texts without a watermark (same prompts, same keys), and TPR by length.
 */
import { publishedRow, publishedTables } from '../../paper/index.ts'
import type { Chart, Row, Series, Table, Value } from '../../report/report.ts'
import { counted, listed, verb } from '../../report/sentence.ts'
import { estimate, mean, meanShare, medianValue, proportion } from '../../report/values.ts'
import { auroc, clopperPearson } from '../../stats/index.ts'
import { meanOf } from '../mean-report.ts'
import { type Method, none } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { detectabilitySentence } from '../sentences.ts'
import { humanFalsePositives } from './human.ts'
import type { Protocol } from './protocol.ts'

/** Guaranteed false-positive rates, with the paper's names. */
export const rates = [
  { rate: 0.05, label: '5%', id: '5' },
  { rate: 0.01, label: '1%', id: '1' },
  { rate: 0.001, label: '0.1%', id: '01' },
] as const

type Source = ReturnType<Plan['openSources']>[number]

const positives = (plan: Plan, method: Method, { model, data }: Source) =>
  plan.detect(method, plan.open(method, model, data), { lengths: true })
const negatives = (plan: Plan, method: Method, { model, data }: Source) =>
  plan.detect(method, plan.open(undefined, model, data))

/** p-values for display and medians: below 1e-300 they are all the same. */
export const pValue = (logP: number): number => Math.exp(Math.max(logP, -690))

export const hits = (logP: readonly number[], rate: number): number =>
  logP.filter((x) => x <= Math.log(rate) + 1e-12).length

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
  plan.tests.map((method) => ({
    method,
    marked: sources.flatMap((source) => results.logP(positives(plan, method, source))),
    plain: sources.flatMap((source) => results.logP(negatives(plan, method, source))),
  }))

function published(method: Method) {
  return method.paper && method.paper !== 'none'
    ? publishedRow(publishedTables.detection, method.paper).figures
    : undefined
}

interface Texts {
  readonly entropy: readonly number[]
  readonly perplexity: readonly number[]
}

function row(plan: Plan, results: Results, { method, marked, plain }: Tested, texts: Texts): Row {
  const paper = published(method)
  const cells: Record<string, Value | null> = {}
  for (const { rate, label, id } of rates) {
    const more = { paper: paper?.[`TPR at ${label}`].value }
    cells[`tpr${id}`] = proportion(hits(marked, rate), marked.length, more)
    cells[`fpr${id}`] = proportion(hits(plain, rate), plain.length)
    cells[`human${id}`] = humanFalsePositives(plan, results, method, 'whole', rate)
  }
  cells.median = medianValue(marked.map(pValue), [0, 1], { paper: paper?.['median p-value'].value })
  const area = auroc(
    marked.map((x) => -x),
    plain.map((x) => -x),
  )
  const { auroc: value, standardError, low, high } = area
  const n = marked.length + plain.length
  cells.auroc = estimate(value, Math.max(standardError, 1 / n), n, { low, high, paper: paper?.AUROC.value })
  cells.entropy = mean(texts.entropy)
  cells.perplexity = mean(texts.perplexity)
  return { id: method.id, label: method.label, family: method.family, cells }
}

/** Unwatermarked texts under all guaranteed detectors: the share of detectors that a text sets off, averaged over texts. */
function plainRow(tests: readonly Tested[], texts: Texts): Row {
  const all = tests.filter(({ method }) => method.guaranteed)
  const n = all.length === 0 ? 0 : Math.min(...all.map(({ plain }) => plain.length))
  const share = (rate: number) =>
    Array.from(
      { length: n },
      (_, i) => all.filter(({ plain }) => hits([plain[i]!], rate) > 0).length / all.length,
    )
  const cells: Record<string, Value | null> = {
    median: null,
    auroc: null,
    entropy: mean(texts.entropy),
    perplexity: mean(texts.perplexity),
  }
  for (const { rate, id } of rates) {
    cells[`tpr${id}`] =
      n === 0 ? null : meanShare(share(rate), { note: 'false positives, mean over the guaranteed detectors' })
    cells[`fpr${id}`] = null
    cells[`human${id}`] = null
  }
  return { id: none.id, label: none.label, family: none.family, cells }
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
      'TPR: share of texts with p at most the rate. Measured FPR: the same for unwatermarked texts of the same prompts under the same keys, and for prose by people under fresh keys (interval over passages). A "published test" is that of the published code on the same texts: its p-values promise nothing. The row without a watermark gives the share of all guaranteed detectors that its texts set off.',
    columns: [
      ...rates.map(({ label, id }) => ({
        id: `tpr${id}`,
        label: `TPR@${label}`,
        group: 'detection',
        texts: 'written',
        unit: 'percent' as const,
        better: 'higher' as const,
      })),
      {
        id: 'median',
        label: 'median p',
        group: 'detection',
        texts: 'written',
        unit: 'p-value',
        better: 'lower',
      },
      { id: 'auroc', label: 'AUROC', group: 'detection', unit: 'number', better: 'higher' },
      ...rates.map(({ label, id }) => ({
        id: `fpr${id}`,
        label: `FPR@${label}`,
        group: 'measured false positives',
        texts: 'unmarked',
        unit: 'percent' as const,
      })),
      ...rates.map(({ label, id }) => ({
        id: `human${id}`,
        label: `FPR@${label}`,
        group: 'on prose by people',
        unit: 'percent' as const,
      })),
      { id: 'entropy', label: 'entropy (nats)', group: 'texts', unit: 'number', digits: 2 },
      { id: 'perplexity', label: 'perplexity', group: 'texts', unit: 'number', digits: 2 },
    ],
    rows: [plainRow(all, texts(undefined)), ...all.map((one) => row(plan, results, one, texts(one.method)))],
  }
}

function lengthChart(plan: Plan, results: Results): Chart {
  const { lengths, tokens } = plan.study.open
  const rate = 0.01
  const series = plan.methods.map((method): Series => {
    const cells = plan.openSources().flatMap((source) => positives(plan, method, source))
    const points = [...lengths.filter((n) => n < tokens), tokens].flatMap((n) => {
      const logP = results.logP(cells, n < tokens ? n : undefined)
      if (logP.length === 0) return []
      const { low, high } = clopperPearson(hits(logP, rate), logP.length)
      return [[n, hits(logP, rate) / logP.length, low, high] as const]
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
const levels = [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1]

/** Detection at every guaranteed rate: what a ROC curve of so few texts cannot show below one in as many. */
function levelChart(tests: readonly Tested[]): Chart {
  const series = tests
    .filter(({ method, marked }) => method.guaranteed && marked.length > 0)
    .map(({ method, marked }): Series => {
      const points = levels.map((rate) => {
        const { low, high } = clopperPearson(hits(marked, rate), marked.length)
        return [rate, hits(marked, rate) / marked.length, low, high] as const
      })
      return { label: method.label, family: method.family, points }
    })
  return {
    id: 'level',
    kind: 'lines',
    title: 'Detection against the false-positive rate',
    caption:
      'Share of texts with p at most the rate: the guaranteed tests hold it at every rate, however small. Tests by permutation end at 2 / (1 + runs).',
    x: { label: 'guaranteed false-positive rate', scale: 'log', domain: [1e-6, 0.1], ticks: levels },
    y: { label: 'true-positive rate', percent: true, domain: [0, 1] },
    series,
  }
}

/** Corners of a ROC curve to draw. */
const MAX_ROC_POINTS = 60

/** The ROC curve as corner points. */
function roc({ marked, plain, method }: Tested): Series {
  const cuts = [...new Set([...marked, ...plain])].sort((a, b) => a - b)
  const share = (list: readonly number[], cut: number) => list.filter((x) => x <= cut).length / list.length
  const step = Math.max(1, Math.floor(cuts.length / MAX_ROC_POINTS))
  const kept = cuts.filter((_, i) => i % step === 0 || i === cuts.length - 1)
  const points = kept.map((cut): [number, number] => [share(plain, cut), share(marked, cut)])
  return { label: method.label, family: method.family, points: [[0, 0], ...points, [1, 1]] }
}

/** A mean over sources; the interval of a rate stays in [0, 1]. */
function meanOfSources(
  numbers: readonly number[],
  se: number,
  rate: boolean,
  more: { paper?: number },
): Value {
  const value = numbers.reduce((a, b) => a + b, 0) / numbers.length
  const [low, high] = [value - 1.96 * se, value + 1.96 * se]
  const inside = rate ? { low: Math.max(0, low), high: Math.min(1, high) } : { low, high }
  return estimate(value, se, numbers.length, { ...inside, ...more })
}

/** The mean over sources of every rate, as the paper has it. */
function averaged(overall: Table, each: readonly Table[]): Table {
  const rows = overall.rows.map((row): Row => {
    const cells: Record<string, Value | null> = {}
    for (const { id, unit } of overall.columns) {
      const values = each.flatMap((table) => table.rows.find((own) => own.id === row.id)?.cells[id] ?? [])
      const numbers = values.flatMap((one) => (one.kind === 'text' ? [] : [one.value]))
      const se = Math.hypot(...values.map((one) => ('low' in one ? (one.high - one.low) / 3.92 : 0)))
      const own = row.cells[id]
      const paper = own?.paper === undefined ? {} : { paper: own.paper }
      cells[id] =
        numbers.length < each.length
          ? null
          : meanOfSources(numbers, se / numbers.length, unit !== 'number' || id === 'auroc', paper)
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

/** Who is tested by alignment, and on how much. */
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
        ...plan.tests.flatMap((method) => [
          ...positives(plan, method, source),
          ...negatives(plan, method, source),
          ...plan.human(method, 'whole'),
        ]),
      ]),
  say(plans, results) {
    const each = plans.map((plan) => tested(plan, results))
    const share = (list: readonly number[], rate: number) => hits(list, rate) / list.length
    const guaranteed = plans[0].tests.flatMap(({ label, guaranteed }, i) =>
      guaranteed ? [{ label, rate: meanOf(each.map((tests) => share(tests[i]!.marked, 0.001))) }] : [],
    )
    const sentence = detectabilitySentence(guaranteed, '0.1%')
    /** The largest rate of a method, over the texts of all models. */
    const mostFalse = (kind: boolean) => {
      const texts = plans[0].tests.map(({ guaranteed }, i) => ({
        guaranteed,
        plain: each.flatMap((tests) => tests[i]!.plain),
      }))
      const rates = texts.filter((one) => one.guaranteed === kind).map(({ plain }) => share(plain, 0.05))
      return `${(100 * Math.max(...rates)).toFixed(1)}%`
    }
    const texts = each.reduce((sum, [first]) => sum + (first?.plain.length ?? 0), 0)
    const entropies = plans.flatMap((plan) => {
      const cells = plan
        .openSources()
        .flatMap(({ model, data }) => plan.open(undefined, model, data).blocks.map((block) => block.cell))
      const { name } = plan.study
      const found = meanOf(results.entropy(cells))
      return Number.isFinite(found) ? [`${found.toFixed(2)}${name ? ` (${name})` : ''}`] : []
    })
    const hasPublished = plans[0].tests.some((test) => !test.guaranteed)
    return {
      headline: { sentence },
      summary: [
        sentence,
        ...(entropies.length > 0
          ? [`Mean entropy without a watermark, in nats per token: ${listed(entropies)}.`]
          : []),
        ...(guaranteed.length > 0
          ? [
              `Largest false-positive rate of a method at a nominal 5%, on ${texts} unwatermarked texts: ${mostFalse(true)} for guaranteed detectors${hasPublished ? `, ${mostFalse(false)} for published tests` : ''}.`,
            ]
          : []),
      ],
    }
  },
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
