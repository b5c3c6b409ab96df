/**
 * Measured false-positive rates: human-written text under fresh keys, and unwatermarked texts of the model. A
 * guaranteed p-value is at most a with probability at most a; published tests that count every token as an independent trial are
 * measured here beside it.
 */

import { median } from '../../core/stats/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { levels, rateAt } from '../report/rates.ts'
import type { Bar, Chart, Row, Table } from '../report/report.ts'
import { counted, listed } from '../report/sentence.ts'
import type { Method } from '../study/methods.ts'
import { type HumanTexts, humanFalsePositives, humanPairs } from './human.ts'
import type { Plans, Protocol } from './protocol.ts'
import { type Cells, methodRow, rateColumns, unmarkedTests } from './rows.ts'
import { falsePositivesSentences } from './sentences.ts'

const kinds: readonly HumanTexts[] = ['whole', 'joined', 'corpus']

/** What the notes call the texts of a kind. */
const names: Record<HumanTexts, string> = { whole: '', joined: 'joined: ', corpus: 'the Brown corpus: ' }

/** Alignment tests take too long for thousands of keys. */
const testsOf = (plan: Plan): Method[] => plan.tests.filter((method) => !method.alignment)

/** Describes the texts of one kind. */
function describe(plans: Plans, results: Results, kind: HumanTexts): string | undefined {
  const [method] = testsOf(plans[0])
  const lengths = plans.flatMap((plan) => {
    const found = method && humanPairs(plan, results, method, kind, 0.05)
    return found ? [String(Math.round(median(found.lengths)))] : []
  })
  if (lengths.length < plans.length) return undefined
  const length = `${listed([...new Set(lengths)])} tokens`
  const { joined } = plans[0].study.human
  if (kind === 'joined') return `${joined!.passages} passages joined, ${length}`
  return kind === 'whole' ? `passages, about ${length}` : `the Brown corpus, about ${length}`
}

function table(plan: Plan, results: Results): Table {
  const named = kinds.flatMap((kind) => {
    const label = describe([plan], results, kind)
    return label === undefined ? [] : [{ kind, label }]
  })
  const rows = testsOf(plan).map((method): Row => {
    const cells: Cells = {}
    const plain = results.logP(unmarkedTests(plan, method))
    for (const { rate, id } of levels) {
      for (const { kind } of named)
        cells[`${kind}${id}`] = humanFalsePositives(plan, results, method, kind, rate)
      cells[`unmarked${id}`] = rateAt(plain, rate)
    }
    return methodRow(method, cells)
  })
  const columns = (prefix: string, group: string) => rateColumns(prefix, 'at ', { group, better: 'lower' })
  return {
    id: 'false-positives',
    title: 'Measured false-positive rates',
    caption:
      'Share of (text, fresh key) pairs with a p-value of at most the nominal rate; intervals are over texts, since pairs that share a text are not independent. Unwatermarked texts of the model have one key each.',
    columns: [
      ...named.flatMap(({ kind, label }) => columns(kind, `human-written text: ${label}`)),
      ...columns('unmarked', 'unwatermarked texts of the model'),
    ],
    rows,
  }
}

/** Methods that differ in the strength of the mark alone have one test: its name leaves the strength out. */
const testLabel = (label: string): string => label.replace(/\(δ=[\d.]+\)/, '')

/** The rates at a nominal 5% of tests that come in two kinds. */
function chart(plan: Plan, results: Results): Chart | undefined {
  const both = testsOf(plan).filter(({ writer }) =>
    testsOf(plan).some((other) => other.writer === writer && !other.guaranteed),
  )
  const bars = both.flatMap((method): Bar[] => {
    const value = humanFalsePositives(plan, results, method, 'whole', 0.05)
    if (value?.kind !== 'mean') return []
    const { label, family } = method
    return [{ label: testLabel(label), family, value: value.value, range: [value.low, value.high] }]
  })
  if (bars.length === 0) return undefined
  return {
    id: 'nominal-5',
    kind: 'bars',
    title: 'False positives at a nominal 5%, human-written text',
    caption:
      'The dashed line is 5%: guaranteed detectors stay at or below it within their intervals; published tests of the same texts need not. One bar per test: the strength of a mark has no part in it.',
    x: { label: 'test' },
    y: { label: 'measured rate', percent: true },
    line: 0.05,
    bars: bars.filter((bar, i) => bars.findIndex((one) => one.label === bar.label) === i),
  }
}

export const falsePositives: Protocol = {
  uses: ['open'],
  cells: (plan) =>
    testsOf(plan).flatMap((method) => [
      ...kinds.flatMap((kind) => plan.human(method, kind)),
      ...unmarkedTests(plan, method),
    ]),
  say: falsePositivesSentences,
  report(plan, results) {
    const [first] = testsOf(plan)
    const { corpus } = plan.study.human
    const tried = kinds.flatMap((kind) => {
      const found = first && humanPairs(plan, results, first, kind, 0.05)
      return found
        ? [`${names[kind]}${counted(found.shares.length, 'text')} and ${counted(found.pairs, 'pair')}`]
        : []
    })
    const drawn = chart(plan, results)
    return {
      notes: [
        `Human-written text: ${tried.join('; ')}. Every pair has a fresh key. Joined texts are passages of one source that do not follow each other: they repeat themselves less than other text of that length.`,
        'Intervals are confidence intervals for the mean over texts by betting: they hold for any number of texts, whatever the laws of the shares.',
        ...(testsOf(plan).some((method) => !method.guaranteed)
          ? [
              "A published test counts all n tokens, as in the authors' code (RayRuiboChen/MCMark): green lists with z = (green - rate n) / sqrt(n rate (1 - rate)) and the normal tail, DiPmark and γ-reweight with Hoeffding's exp(-2n (green/n - 1/2)^2), MCmark with the binomial tail. Equal tokens after equal contexts have equal colours: they are not independent trials. Where one green list serves all positions, that is so for all tokens of one type.",
            ]
          : []),
        ...(corpus
          ? [
              corpus.missing
                ? 'The Brown corpus (500 texts of about 2,000 words) could not be fetched where this ran: it has no columns.'
                : 'The Brown corpus: 500 texts of about 2,000 words of American prose of 1961, in 15 genres (Francis and Kucera).',
            ]
          : []),
        'The mark has no part in this: methods that differ in its strength alone have equal rows.',
        ...plan.study.settings,
      ],
      tables: [table(plan, results)],
      charts: drawn ? [drawn] : [],
    }
  },
}
