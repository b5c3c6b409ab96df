/**
 * The sentences of reports: fixed templates over the rows of a report's own tables, so that every number in them stands in a
 * table, and a report that was read from a file says the same as one that was just computed. Methods are ranked only where joint
 * 95% intervals do not overlap.
 */

import { median, normalQuantile } from '../../core/stats/index.ts'
import type { ChartOf, Report, Row, Table, Value } from '../report/report.ts'
import { counted, listed, verb } from '../report/sentence.ts'

/** The parts of a report that its sentences are about. */
export type Told = Pick<Report, 'tables' | 'charts'> & Partial<Pick<Report, 'samples'>>

/** Sentences of a report. */
export type Said = Pick<Report, 'summary'> & Partial<Pick<Report, 'headline'>>

/** Lists of more names than this become a count. */
const MAX_NAMES = 3

/** Family-wise chance that some unbiased method is said to differ, or to drift, although none does. */
export const FALSE_ALARM = 0.01

type Numeric = Exclude<Value, { kind: 'text' }>

/** Returns a table by the id that it has without a model's name: the mean over models, or the table of a single model. */
export const tableOf = ({ tables }: Told, id: string): Table | undefined =>
  tables.find((table) => table.id === id) ?? tables.find((table) => table.id.startsWith(`${id}-`))

/** Returns the tables of single models under an id; where there is one model only, its table. */
export function modelTables(told: Told, id: string): Table[] {
  const own = told.tables.filter((table) => table.id.startsWith(`${id}-`))
  return own.length > 0 ? own : [tableOf(told, id) ?? []].flat()
}

/** Returns the tables of a report with others in place of those of the same id, or after them. */
export const withTables = ({ tables }: Told, ...more: readonly Table[]): Table[] => [
  ...tables.filter(({ id }) => more.every((one) => one.id !== id)),
  ...more,
]

export const numberIn = (row: Row | undefined, column: string): Numeric | undefined => {
  const value = row?.cells[column]
  return value && value.kind !== 'text' ? value : undefined
}

/** The row of texts without a watermark. */
export const PLAIN = 'unwatermarked'

const isMethod = ({ id, family }: Row): boolean => id !== PLAIN && family !== ''

const percent = (rate: number, digits = 0): string => `${(100 * rate).toFixed(digits)}%`
const range = ({ low, high }: { low: number; high: number }, digits = 0): string =>
  `[${percent(low, digits)}, ${percent(high, digits)}]`

const names = (rows: readonly Row[]): string =>
  rows.length > MAX_NAMES ? counted(rows.length, 'method') : listed(rows.map(({ label }) => label))

interface Does {
  readonly one: string
  readonly many: string
  readonly not: string
}

/** `none of the 11 unbiased methods differs`, `2 of the 11 unbiased methods differ`; undefined where there are none. */
function shareOf(rows: readonly Row[], seen: readonly Row[], kind: string, does: Does): string | undefined {
  const [count, all] = [seen.length, rows.length]
  if (all === 0) return undefined
  if (all === 1) return `the ${kind} method ${rows[0]!.label} ${count === 1 ? does.one : does.not}`
  if (count === 0) return `none of the ${all} ${kind} methods ${does.one}`
  if (count === all) return `${all === 2 ? 'both' : `all ${all}`} ${kind} methods ${does.many}`
  const who = count > MAX_NAMES ? '' : ` (${listed(seen.map(({ label }) => label))})`
  return `${count} of the ${all} ${kind} methods ${verb(count, does.one, does.many)}${who}`
}

/** The share of rows that do something, unbiased ones first. */
function sharesOf(rows: readonly Row[], seen: (row: Row) => boolean, does: Does): (string | undefined)[] {
  return [false, true].map((biased) => {
    const own = rows.filter((row) => (row.biased ?? false) === biased)
    return shareOf(own, own.filter(seen), biased ? 'biased' : 'unbiased', does)
  })
}

/** Methods that claim to be unbiased on texts up to a length only, shortest first: a sentence for each length. */
export function limitedClaims(
  methods: readonly { label: string; unbiased: boolean; unbiasedUpTo?: number | undefined }[],
): string[] {
  const limited = methods.filter(({ unbiased, unbiasedUpTo }) => unbiased && unbiasedUpTo !== undefined)
  const lengths = [...new Set(limited.map(({ unbiasedUpTo }) => unbiasedUpTo!))].sort((a, b) => a - b)
  return lengths.map((length) => {
    const labels = limited.filter(({ unbiasedUpTo }) => unbiasedUpTo === length).map(({ label }) => label)
    return `${listed(labels)} ${verb(labels.length, 'claims', 'claim')} to be unbiased on texts of at most ${counted(length, 'token')}: beyond that codes are used again.`
  })
}

/** Table 1: how many methods differ from no watermark, and the difference that would have been seen. */
export function oneShotSentences(told: Told): Said {
  const rows = (tableOf(told, 'table1')?.rows ?? []).filter((row) => numberIn(row, 'adjusted'))
  const does = { one: 'differs', many: 'differ', not: 'does not differ' }
  const [unbiased, biased] = sharesOf(rows, (row) => numberIn(row, 'adjusted')!.value <= FALSE_ALARM, does)
  const shifts = (tableOf(told, 'power')?.rows ?? []).flatMap((row) => numberIn(row, 'shift')?.value ?? [])
  const seen =
    shifts.length > 0
      ? `. A shift of ${Math.max(...shifts).toFixed(2)} standard deviations is seen with a probability of 90%`
      : ''
  const found = [unbiased, biased].filter((part) => part !== undefined).join('; ')
  const sentence = `One-shot quality, against no watermark at a family-wise rate of ${percent(FALSE_ALARM)}: ${found || 'no methods were compared'}${seen}.`
  return { headline: { sentence }, summary: [sentence] }
}

/** Table 2: how many methods drift, by the paper's metrics and by all. Only a drift that was seen speaks for Theorem 1. */
export function repeatedSentences(told: Told): Said {
  const gaps = tableOf(told, 'table2')
  const isPaper = ({ id }: { id: string }) =>
    gaps?.rows.some((row) => row.cells[id]?.paper !== undefined) ?? false
  const ofPaper = new Set((gaps?.columns ?? []).filter(isPaper).map(({ id }) => id))
  const rows = (gaps?.rows ?? []).filter(isMethod)
  const drifts = (among: (column: string) => boolean) => {
    const all = modelTables(told, 'detwmk').flatMap(({ columns, rows: own }) =>
      columns
        .filter(({ id }) => id.endsWith(' p') && among(id.slice(0, -2)))
        .map(({ id }) => ({ id, rows: own })),
    )
    return ({ id: row }: Row) =>
      all.some(({ id, rows: own }) => {
        const p = numberIn(
          own.find((one) => one.id === row),
          id,
        )
        return p !== undefined && p.value <= FALSE_ALARM / all.length
      })
  }
  const [every, paper] = [drifts(() => true), drifts((id) => ofPaper.has(id))]
  const does = { one: 'drifts visibly', many: 'drift visibly', not: 'does not drift visibly' }
  const [unbiased, biased] = sharesOf(rows, every, does)
  const theory = rows.some((row) => !row.biased && every(row))
    ? ', as Theorem 1 says that detectable ones do in the end'
    : ''
  const found = [unbiased && `${unbiased}${theory}`, biased].filter((part) => part !== undefined).join('; ')
  const narrow = rows.filter((row) => !row.biased && every(row) && !paper(row))
  const sentence = `Repeated prompts, one key, ${percent(FALSE_ALARM)} per method: ${found || 'no methods were measured'}.`
  const only =
    ofPaper.size > 0 && narrow.length > 0
      ? [
          `The drift of ${names(narrow)} is seen in metrics that the paper does not have, and in none of the paper's.`,
        ]
      : []
  return { headline: { sentence }, summary: [sentence, ...designs(told), ...only] }
}

/** The numbers of prompts and of texts per prompt behind table 2, model by model. */
function designs(told: Told): string[] {
  const curves = told.charts.filter(
    (chart): chart is ChartOf<'lines'> => chart.kind === 'lines' && chart.id.startsWith('detwmk'),
  )
  const said = modelTables(told, 'table2').flatMap(({ id, columns, rows }) => {
    const model = id.replace(/^table2-?/, '')
    const own = curves.filter((chart) => chart.id.endsWith(model))
    const sizes = own.flatMap(({ series }) =>
      series.flatMap(({ points }) => points.map(([generations]) => generations)),
    )
    const value = columns.flatMap((column) => numberIn(rows[0], column.id) ?? [])[0]
    return value && 'n' in value && sizes.length > 0
      ? [`${value.n} prompts with ${Math.max(...sizes)} texts each${model ? ` on ${model}` : ''}`]
      : []
  })
  return said.length > 0 ? [`Every method answered ${listed(said)}.`] : []
}

/**
 * The rows of a column that the best row cannot be told from, best first: 95% intervals, which may be wider on one side, are stretched so
 * that all hold together.
 */
export function leaders(rows: readonly Row[], column: string): Row[] {
  const known = rows.flatMap((row) => {
    const value = numberIn(row, column)
    return value && 'low' in value ? [{ row, ...value }] : []
  })
  const stretch = normalQuantile(1 - 0.025 / Math.max(1, known.length)) / normalQuantile(0.975)
  const [best, ...others] = known.toSorted((a, b) => b.value - a.value)
  if (!best) return []
  const low = best.value - stretch * (best.value - best.low)
  return [best, ...others.filter(({ value, high }) => value + stretch * (high - value) >= low)].map(
    ({ row }) => row,
  )
}

/** Half the width of an interval. */
const halfWidth = (value: Numeric): number => ('low' in value ? (value.high - value.low) / 2 : 0)
const points = (share: number): string => `${(100 * share).toFixed(1)}% of texts`

/** The share of texts of the methods that lead a column, and the median over all. */
function leading(rows: readonly Row[], column: string, what: string): string {
  const known = rows.filter((row) => numberIn(row, column))
  const best = leaders(known, column)
  if (known.length === 0 || best.length === 0) return 'no methods were tested'
  const shown = (row: Row) => {
    const value = numberIn(row, column)!
    return `${percent(value.value)}${'low' in value ? ` ${range(value)}` : ''}`
  }
  const middle = percent(median(known.map((row) => numberIn(row, column)!.value)))
  const halves = known.map((row) => halfWidth(numberIn(row, column)!))
  const widths = `half-widths of 95% intervals: ${points(median(halves))} in the median, ${points(Math.max(...halves))} at most`
  const rest =
    known.length > 1 ? `; the median over ${counted(known.length, 'method')} is ${middle}; ${widths}` : ''
  if (best.length === 1) return `${best[0]!.label} is ${what} in ${shown(best[0]!)} of texts${rest}`
  const last = percent(Math.min(...best.map((row) => numberIn(row, column)!.value)))
  return `the ${best.length} methods with the highest rates (${last} to ${percent(numberIn(best[0], column)!.value)} of texts) are not distinguishable${rest}`
}

const guaranteed = (table: Table | undefined): Row[] =>
  (table?.rows ?? []).filter((row) => isMethod(row) && !row.nominal)

/** Table 3: the methods that are detected most often, entropies, and measured false positives. */
export function detectabilitySentences(told: Told): Said {
  const table = tableOf(told, 'table3')
  const sentence = `Detectability at FPR 0.1%: ${leading(guaranteed(table), 'tpr01', 'detected')}.`
  const each = modelTables(told, 'table3')
  const plain = (own: Table) => own.rows.find(({ id }) => id === PLAIN)
  const entropies = each.flatMap((own) => {
    const found = numberIn(plain(own), 'entropy')
    const model = own.id.replace(/^table3-?/, '')
    return found ? [`${found.value.toFixed(2)}${model ? ` (${model})` : ''}`] : []
  })
  const highest = (rows: readonly Row[]) =>
    rows.flatMap((row) => numberIn(row, 'fpr5') ?? []).reduce<Numeric | undefined>(larger, undefined)
  const said = [
    ['guaranteed detectors', highest(guaranteed(table))],
    ['published tests', highest((table?.rows ?? []).filter((row) => row.nominal))],
  ] as const
  const rates = said.flatMap(([kind, value]) =>
    value && 'low' in value ? [`${percent(value.value, 1)} ${range(value, 1)} for ${kind}`] : [],
  )
  return {
    headline: { sentence },
    summary: [
      sentence,
      ...(entropies.length > 0
        ? [`Mean entropy without a watermark, in nats per token: ${listed(entropies)}.`]
        : []),
      ...(rates.length > 0
        ? [`Largest false-positive rate at a nominal 5%, on unwatermarked texts: ${listed(rates)}.`]
        : []),
    ],
  }
}

const larger = (most: Numeric | undefined, one: Numeric): Numeric =>
  most === undefined || one.value > most.value ? one : most

/** Tables 4 to 6: the methods that survive the strongest replacement. */
export function robustnessSentences(
  told: Told,
  rate: { id: string; label: string },
  headline: boolean,
): Said {
  const table = tableOf(told, `robustness-${rate.id}`)
  const columns = table?.columns.filter(({ group }) => group?.includes('attacks')) ?? []
  const strongest = columns.find(({ label }) => label === 'Random 30%') ?? columns[0]
  const found = strongest
    ? leading(guaranteed(table), strongest.id, 'still detected')
    : 'no methods were tested'
  const sentence = `Robustness at FPR ${rate.label}, after ${strongest?.label ?? 'attacks'}: ${found}.`
  return {
    ...(headline ? { headline: { sentence } } : {}),
    summary: [sentence, ...(headline ? [...translationSentence(table), ...meaningSentence(told)] : [])],
  }
}

/** What attacks leave of the meaning, of which the paper says that random edits often degrade it severely. */
function meaningSentence(told: Told): string[] {
  const table = tableOf(told, 'meaning')
  const said = (table?.columns ?? []).flatMap(({ id, label }) => {
    const value = numberIn(table?.rows[0], id)
    return value && 'low' in value
      ? [`${value.value.toFixed(2)} [${value.low.toFixed(2)}, ${value.high.toFixed(2)}] after ${label}`]
      : []
  })
  if (said.length === 0) return []
  return [
    `The paper says that random edits often severely degrade semantic quality: BERTScore against the text before (1: the same text, 0: an unrelated text of the model) is ${listed(said)}.`,
  ]
}

/** The unbiased methods that survive a round trip of translation in most texts, of which the paper says that there are none. */
function translationSentence(table: Table | undefined): string[] {
  const column = table?.columns.find(({ label }) => label === 'Round trip')
  const rows = guaranteed(table).filter((row) => !row.biased && column && numberIn(row, column.id))
  if (!column || rows.length === 0) return []
  const most = rows.filter((row) => {
    const value = numberIn(row, column.id)!
    return 'low' in value && value.low > 0.5
  })
  return [
    `The paper says that no unbiased watermark can survive translation: after the round trip ${most.length} of ${counted(rows.length, 'unbiased method')} ${verb(most.length, 'is', 'are')} detected in more than half of texts, beyond the 95% interval.`,
  ]
}

/** Table 7: for each axis the methods that lead it. */
export function scoresSentences(told: Told, axes: readonly string[]): Said {
  const rows = guaranteed(tableOf(told, 'table7'))
  const said = axes.flatMap((axis) => {
    const best = leaders(rows, axis)
    const top = numberIn(best[0], axis)
    if (!top) return []
    const who = best.length === 1 ? best[0]!.label : `${best.length} methods that are not distinguishable`
    return [`${axis} ${top.value.toFixed(3)} (${who})`]
  })
  const found = said.length > 0 ? listed(said) : 'no methods were measured'
  return { summary: [`Highest scores: ${found}.`] }
}

/** Figure 1: what separates unbiased methods, and what does not. */
export function axesSentences(told: Told): Said {
  const rows = tableOf(told, 'told-apart')?.rows ?? []
  const cell = (id: string, column: string) =>
    numberIn(
      rows.find((row) => row.id === id),
      column,
    )?.value
  const [differ, methods, shift] = ['apart', 'all', 'shift'].map((column) => cell('one-shot', column))
  const apart = ['detectability', 'robustness'].flatMap((axis) => {
    const [count, all] = [cell(axis, 'apart'), cell(axis, 'all')]
    return count !== undefined && all ? [`${axis} separates ${count} of ${counted(all, 'pair')}`] : []
  })
  const first =
    methods === undefined
      ? 'No methods were measured'
      : differ === 0
        ? `No unbiased method can be told from no watermark in one shot at this sample size${shift === undefined ? '' : ` (a shift of ${shift.toFixed(2)} standard deviations would be seen with a probability of 90%)`}`
        : `${differ} of ${counted(methods, 'unbiased method')} can be told from no watermark in one shot`
  const sentence = `${first}${apart.length > 0 ? `; ${listed(apart)} of them` : ''}.`
  const chart = told.charts.some(({ id }) => id === 'axes') ? { chart: 'axes' } : {}
  return { headline: { sentence, ...chart }, summary: [sentence] }
}

/** Figure 2: how much p-values vary under rewriting and under the strongest replacement, and what the paper's tables imply. */
export function spreadSentences(told: Told): Said {
  const chart = told.charts.find(({ id }) => id === 'deviation')
  const bars = chart?.kind === 'bars' ? chart.bars : []
  const known = [
    bars.find(({ family }) => family === 'rewriting'),
    bars.find(({ label }) => label === 'Random 30%'),
  ].flatMap((bar) => bar ?? [])
  if (known.length === 0) return { summary: ['Spread of p-values: nothing was measured.'] }
  const said = known.map(
    ({ label, value }, i) =>
      `${i === 0 ? 'p-values have a standard deviation of ' : ''}${value.toFixed(3)} under ${label}`,
  )
  // a ratio to what is printed as 0.000 would say nothing
  const ratio = known.length === 2 && known[1]!.value >= 5e-4 ? known[0]!.value / known[1]!.value : undefined
  const implied = numberIn(tableOf(told, 'implied')?.rows.at(-1), 'deviation')
  const paper = implied
    ? `; the paper says about four, and its own tables imply ${implied.value.toFixed(2)}`
    : ''
  const sentence = `Spread: ${listed(said)}${ratio === undefined ? '' : `, a ratio of ${ratio.toFixed(1)}${paper}`}.`
  return { headline: { sentence }, summary: [sentence] }
}

/** The agreement of each axis with the paper's ranking, over all methods and over the unbiased ones. */
export function agreementSentences(told: Told): Said {
  const head = "Agreement with the paper's ranking of methods"
  const shown = (row: Row, column: string) => {
    const rho = numberIn(row, column)
    return rho && 'low' in rho
      ? `${rho.value.toFixed(2)} [${rho.low.toFixed(2)}, ${rho.high.toFixed(2)}]`
      : ''
  }
  const rows = (tableOf(told, 'agreement')?.rows ?? []).filter((row) => numberIn(row, 'rho'))
  if (rows.length === 0)
    return {
      headline: { sentence: `${head}: not computed.` },
      summary: [
        `${head}: not computed, since too few of the methods are in the paper or their scores do not differ.`,
      ],
    }
  const said = (list: readonly Row[], column: string) =>
    list.flatMap((row) => (shown(row, column) ? [`${row.label} ρ = ${shown(row, column)}`] : []))
  // the axes first; the same with other tests or other scores have ids of two words
  const [plain, others] = [
    rows.filter(({ id }) => !id.includes(' ')),
    rows.filter(({ id }) => id.includes(' ')),
  ]
  const sentence = `${head}: ${said(plain, 'rho').join('; ')}.`
  const [more, unbiased] = [said(others, 'rho'), said(plain, 'unbiased')]
  return {
    headline: { sentence },
    summary: [
      sentence,
      ...(more.length > 0 ? [`Against other readings: ${more.join('; ')}.`] : []),
      ...(unbiased.length > 0 ? [`Among the unbiased methods alone: ${unbiased.join('; ')}.`] : []),
      ...ownAuditSentence(told),
      ...tensionSentence(told),
    ],
  }
}

/** What the axes have to do with each other, here and in the paper. */
function tensionSentence(told: Told): string[] {
  const rows = tableOf(told, 'tension')?.rows ?? []
  const shown = (row: Row, column: string) => {
    const rho = numberIn(row, column)
    return rho && 'low' in rho
      ? `${rho.value.toFixed(2)} [${rho.low.toFixed(2)}, ${rho.high.toFixed(2)}]`
      : 'unknown'
  }
  if (rows.length === 0) return []
  const said = rows.map((row) => `${row.label} ${shown(row, 'here')} (paper ${shown(row, 'paper')})`)
  return [`Rank correlations between the axes, where the paper speaks of a tension: ${said.join('; ')}.`]
}

/** The audit of our own detectability scores. */
function ownAuditSentence(told: Told): string[] {
  const rows = tableOf(told, 'own-audit')?.rows ?? []
  const differ = rows.filter(({ cells }) => cells.agrees?.value === 'no')
  const upward = differ.filter((row) => numberIn(row, 'scores')!.value > numberIn(row, 'means')!.value)
  if (rows.length === 0) return []
  return [
    `The same audit of our own detectability scores: ${differ.length} of ${rows.length} differ from what the mean row of table 3 gives, ${upward.length} of them upward.`,
  ]
}

/** False-positive rates at a nominal 5%: the worst published test, then whether a guaranteed one is above it. */
export function falsePositivesSentences(told: Told): Said {
  const table = tableOf(told, 'false-positives')
  const columns = (table?.columns ?? []).filter(({ label }) => label === 'at 5%')
  const all = (table?.rows ?? []).flatMap((row) =>
    columns.flatMap((column) => {
      const value = numberIn(row, column.id)
      const where = (column.group ?? '').split(',')[0]!.replace(':', ',')
      return value && 'low' in value ? [{ row, where, value }] : []
    }),
  )
  const head = 'False positives at a nominal 5%'
  const nominal = all.filter(({ row, value }) => row.nominal && value.low > 0.05)
  const above = all.filter(({ row, value }) => !row.nominal && value.low > 0.05)
  const most = (list: typeof all) =>
    list.reduce<(typeof all)[number] | undefined>(
      (top, one) => (top === undefined || one.value.low > top.value.low ? one : top),
      undefined,
    )
  const shown = ({ row, where, value }: (typeof all)[number]) =>
    `${row.label.replace(/\([^()]*\)/, '')}: ${percent(value.value, 1)} ${range(value, 1)} on ${where}`
  const worst = most(nominal)
  const highest = all
    .filter(({ row }) => !row.nominal)
    .reduce<(typeof all)[number] | undefined>(
      (top, one) => (top === undefined || one.value.value > top.value.value ? one : top),
      undefined,
    )
  if (!highest)
    return {
      headline: { sentence: `${head}: no methods were tested.` },
      summary: [`${head}: no methods were tested.`],
    }
  const first = worst ? `${head}: ${shown(worst)}.` : `${head}: no published test is above it beyond chance.`
  const second =
    above.length === 0
      ? `No guaranteed test is above 5% beyond its interval; the highest single rate is ${shown(highest)}.`
      : `${counted(above.length, 'rate')} of guaranteed tests ${verb(above.length, 'is', 'are')} above 5% beyond the 95% interval.`
  return { headline: { sentence: first }, summary: [first, second] }
}

/** The audit: which published scores follow from the published figures, and what else does not fit. */
export function auditSentences(told: Told, axes: readonly string[]): Said {
  const scores = tableOf(told, 'audit-scores')?.rows ?? []
  const agree = axes.map((axis) => {
    const fits = scores.filter((row) => row.cells[`${axis} verdict`]?.value !== 'disagrees').length
    return `${fits} of ${scores.length} ${axis} scores`
  })
  const orders = (tableOf(told, 'audit-orders')?.rows ?? []).filter(({ id }) => id !== 'sum')
  const sum = (column: string) =>
    orders.reduce((total, row) => total + (numberIn(row, column)?.value ?? 0), 0)
  const claims = tableOf(told, 'audit-claims')?.rows ?? []
  const verdicts = claims.map((row) => String(row.cells.verdict?.value))
  const count = (test: (verdict: string) => boolean) => verdicts.filter(test).length
  const decided = count((verdict) => verdict !== 'not checkable')
  const either = count((verdict) => verdict.includes('fails'))
  return {
    headline: {
      sentence: `Recomputed from the paper's own figures, ${listed(agree)} agree with its table 7.`,
    },
    summary: [
      `Recomputed from the paper's own figures, ${listed(agree)} agree with its table 7.`,
      `${sum('violations')} of ${counted(sum('comparisons'), 'comparison')} of rates are inverted, ${sum('beyond')} of them beyond chance.`,
      ...(decided > 0
        ? [
            `Of ${counted(claims.length, 'statement')} of the text the tables decide ${decided}: ${count((verdict) => verdict === 'fails')} ${verb(
              count((verdict) => verdict === 'fails'),
              'fails',
              'fail',
            )} as printed and recomputed, ${either - count((verdict) => verdict === 'fails')} in one reading only.`,
          ]
        : []),
    ],
  }
}

/** The texts to look at. */
export function samplesSentences(told: Told): Said {
  const samples = told.samples ?? []
  const methods = new Set(samples.map(({ row }) => row)).size
  if (methods === 0) return { summary: ['No methods were sampled.'] }
  const kinds = [...new Set(samples.flatMap(({ texts }) => texts.map(({ label }) => label)))]
  const prompts = Math.max(
    ...samples.map(
      (one) => samples.filter(({ row, model }) => row === one.row && model === one.model).length,
    ),
  )
  return {
    summary: [
      `The texts of the first ${counted(prompts, 'prompt')} for ${counted(methods, 'method')}: ${listed(kinds)}. They are the first ones of table 3 and table 4, not chosen.`,
    ],
  }
}
