/**
 * How often tests call text without a watermark watermarked: prose by people under fresh keys, and unwatermarked texts of the model. A
 * guaranteed p-value is at most a with probability at most a; published tests that count every token as an independent trial are
 * measured here beside it.
 */
import type { Bar, Chart, Row, Table, Value } from '../../report/report.ts'
import { counted, listed } from '../../report/sentence.ts'
import { proportion } from '../../report/values.ts'
import { median } from '../../stats/index.ts'
import { meanNumber, meanOf } from '../mean-report.ts'
import { familiesOf, type Method } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import { falsePositivesSentence } from '../sentences.ts'
import { hits, rates } from './detectability.ts'
import { type HumanTexts, humanFalsePositives, humanPairs } from './human.ts'
import type { Plans, Protocol } from './protocol.ts'

const kinds: readonly HumanTexts[] = ['whole', 'joined']

/** Alignment tests take too long for thousands of keys. */
const testsOf = (plan: Plan): Method[] => plan.tests.filter((method) => !method.alignment)

const unmarked = (plan: Plan, method: Method) =>
  plan.openSources().flatMap(({ model, data }) => plan.detect(method, plan.open(undefined, model, data)))

/** What the texts of one kind are, in words. */
function describe(plans: Plans, results: Results, kind: HumanTexts): string | undefined {
  const [method] = testsOf(plans[0])
  const lengths = plans.flatMap((plan) => {
    const found = method && humanPairs(plan, results, method, kind, 0.05)
    return found ? [String(Math.round(median(found.lengths)))] : []
  })
  if (lengths.length < plans.length) return undefined
  const length = `${listed([...new Set(lengths)])} tokens`
  const { joined } = plans[0].study.human
  return kind === 'whole' ? `passages, about ${length}` : `${joined!.passages} passages joined, ${length}`
}

function table(plan: Plan, results: Results): Table {
  const named = kinds.flatMap((kind) => {
    const label = describe([plan], results, kind)
    return label === undefined ? [] : [{ kind, label }]
  })
  const rows = testsOf(plan).map((method): Row => {
    const cells: Record<string, Value | null> = {}
    const plain = results.logP(unmarked(plan, method))
    for (const { rate, id } of rates) {
      for (const { kind } of named)
        cells[`${kind}${id}`] = humanFalsePositives(plan, results, method, kind, rate)
      cells[`unmarked${id}`] = proportion(hits(plain, rate), plain.length)
    }
    return { id: method.id, label: method.label, family: method.family, cells }
  })
  const group = (prefix: string, label: string) =>
    rates.map((rate) => ({
      id: `${prefix}${rate.id}`,
      label: `at ${rate.label}`,
      group: label,
      unit: 'percent' as const,
      better: 'lower' as const,
    }))
  return {
    id: 'false-positives',
    title: 'Measured false-positive rates',
    caption:
      'Share of (text, fresh key) pairs with a p-value of at most the nominal rate; intervals are over texts, since pairs that share a text are not independent. Unwatermarked texts of the model have one key each.',
    columns: [
      ...named.flatMap(({ kind, label }) => group(kind, `prose by people: ${label}`)),
      ...group('unmarked', 'unwatermarked texts of the model'),
    ],
    rows,
  }
}

/** The rates at a nominal 5% of tests that come in two kinds. */
function chart(plan: Plan, results: Results): Chart | undefined {
  const both = testsOf(plan).filter(({ writer }) =>
    testsOf(plan).some((other) => other.writer === writer && !other.guaranteed),
  )
  const bars = both.flatMap((method): Bar[] => {
    const value = humanFalsePositives(plan, results, method, 'whole', 0.05)
    if (value?.kind !== 'mean') return []
    const { label, family } = method
    return [{ label, family, value: value.value, range: [value.low, value.high] }]
  })
  if (bars.length === 0) return undefined
  return {
    id: 'nominal-5',
    kind: 'bars',
    title: 'False positives at a nominal 5%, prose by people',
    caption: 'Guaranteed detectors stay at or below 5%; published tests of the same texts need not.',
    x: { label: 'test' },
    y: { label: 'measured rate', percent: true },
    bars,
  }
}

interface Rated {
  readonly method: Method
  readonly unmarked: number
  readonly shares: readonly { readonly value: number }[]
}

/** Methods of a family that differ in the strength of the mark alone have equal rates: then the name of the family will do. */
function shortLabel(all: readonly Rated[], { family, guaranteed, label }: Method): string {
  const rates = all
    .filter(({ method }) => method.family === family && method.guaranteed === guaranteed)
    .map(({ unmarked, shares }) => [unmarked, ...shares.map(({ value }) => value)].join())
  if (rates.length < 2 || new Set(rates).size > 1) return label
  const name = familiesOf([{ family }])[0]!.label
  return guaranteed ? name : `${name}, published test`
}

export const falsePositives: Protocol = {
  uses: ['open'],
  cells: (plan) =>
    testsOf(plan).flatMap((method) => [
      ...kinds.flatMap((kind) => plan.human(method, kind)),
      ...unmarked(plan, method),
    ]),
  say(plans, results) {
    const measured = testsOf(plans[0]).map((method) => {
      const plain = plans.map((plan) => results.logP(unmarked(plan, method)))
      const shares = kinds.flatMap((kind) => {
        const label = describe(plans, results, kind)
        const values = plans.flatMap((plan) => {
          const value = humanFalsePositives(plan, results, method, kind, 0.05)
          return value?.kind === 'mean' ? [value] : []
        })
        const mean = values.length < plans.length ? undefined : meanNumber(values)
        return label !== undefined && mean?.kind === 'estimate' ? [{ label, ...mean }] : []
      })
      const share = (logP: readonly number[]) => (logP.length === 0 ? 0 : hits(logP, 0.05) / logP.length)
      return { method, shares, unmarked: meanOf(plain.map(share)) }
    })
    const sentences = falsePositivesSentence(
      measured.map(({ method, ...rest }) => ({
        label: shortLabel(measured, method),
        guaranteed: method.guaranteed,
        ...rest,
      })),
    )
    return { headline: { sentence: sentences[0]! }, summary: sentences }
  },
  report(plan, results) {
    const [first] = testsOf(plan)
    const pairs = first ? kinds.map((kind) => humanPairs(plan, results, first, kind, 0.05)?.pairs ?? 0) : []
    const texts = first
      ? kinds.map((kind) => humanPairs(plan, results, first, kind, 0.05)?.shares.length ?? 0)
      : []
    const drawn = chart(plan, results)
    return {
      notes: [
        `Prose by people: ${kinds.map((_, i) => `${counted(texts[i] ?? 0, 'text')} and ${counted(pairs[i] ?? 0, 'pair')}`).join('; joined: ')}. Every pair has a fresh key. Joined texts are passages of one source that do not follow each other: they repeat themselves less than prose of that length.`,
        'Intervals are confidence intervals for the mean over texts by betting: they hold for any number of texts, whatever the laws of the shares.',
        ...(testsOf(plan).some((method) => !method.guaranteed)
          ? [
              "A published test is z = (green - rate n) / sqrt(n rate (1 - rate)) over all n tokens, with the normal tail, as in the authors' code (RayRuiboChen/MCMark). Equal tokens after equal contexts have equal colours: they are not independent trials. Where one green list serves all positions, that is so for all tokens of one type.",
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
