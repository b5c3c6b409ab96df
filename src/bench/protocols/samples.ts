/** Texts to look at: for each method a few prompts, as written, without a watermark, and after attacks. */

import type { Cell } from '../cells/cell.ts'
import type { Plan, TextSet } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { pValue } from '../report/rates.ts'
import type { Row, Table, Value } from '../report/report.ts'
import type { Sample, SampleText } from '../report/samples.ts'
import { derived } from '../report/values.ts'
import type { Sampled } from '../steps/sample.ts'
import { type Method, none } from '../study/methods.ts'
import type { Protocol } from './protocol.ts'
import { methodRow } from './rows.ts'
import { samplesSentences } from './sentences.ts'

/** Prompts per method: what keeps a page of twenty methods below a megabyte of texts. */
const MAX_SAMPLES = 2

/** Texts of one kind: the column of the tables that counts them, and the cells that they and their p-values come from. */
interface Kind {
  readonly id: string
  readonly label: string
  readonly texts: TextSet
  readonly tests: readonly Cell[]
}

/** The strongest of the paper's replacements and its paraphraser, or what stands in for them. */
const attacksOf = ({ study }: Plan) =>
  study.attacks.filter(({ paper }) => paper === 'DIPPER' || paper === 'Random 30%')

/** All kinds of a method; the cells of tables 3 and 4, so that nothing is computed twice. */
function kindsOf(plan: Plan, method: Method): Kind[] {
  const [source] = plan.openSources()
  if (!source) return []
  const own = plan.open(method, source.model, source.data)
  const plain = plan.open(undefined, source.model, source.data)
  return [
    { id: 'written', label: 'as written', texts: own, tests: plan.detect(method, own, { lengths: true }) },
    {
      id: 'unmarked',
      label: `${none.label.toLowerCase()}, same key`,
      texts: plain,
      tests: plan.detect(method, plain),
    },
    ...attacksOf(plan).map((attack) => {
      const texts = plan.attacked(method, own, attack, 0)
      return {
        id: attack.id,
        label: `after ${attack.label}`,
        texts,
        tests: plan.detect(method, texts, { attacked: true }),
      }
    }),
  ]
}

const sampled = (plan: Plan, method: Method, { texts }: Kind): Cell => plan.sample(method, texts, MAX_SAMPLES)

function samplesOf(plan: Plan, results: Results, method: Method): Sample[] {
  const kinds = kindsOf(plan, method).map((kind) => ({
    ...kind,
    ...results.of<Sampled>(sampled(plan, method, kind)),
    logP: results.logP(kind.tests.slice(0, 1)),
  }))
  return (kinds[0]?.samples ?? []).map(({ prompt }, i) => ({
    row: method.id,
    label: method.label,
    family: method.family,
    prompt,
    texts: kinds.flatMap(({ id, label, samples, logP }): SampleText[] => {
      const one = samples[i]
      if (!one || logP[i] === undefined) return []
      const { text, lengths, shades } = one
      return [{ id, label, pValue: pValue(logP[i]), text, lengths, shades }]
    }),
  }))
}

function table(plan: Plan, samples: readonly Sample[]): Table {
  const kinds = new Map(samples.flatMap(({ texts }) => texts.map(({ id, label }) => [id, label])))
  const rows = plan.methods.map((method): Row => {
    const first = samples.find(({ row }) => row === method.id)
    const value = (id: string): Value | null => {
      const found = first?.texts.find((text) => text.id === id)
      return found ? derived(found.pValue) : null
    }
    const cells = Object.fromEntries([...kinds.keys()].map((id) => [id, value(id)]))
    return methodRow(method, cells)
  })
  return {
    id: 'samples',
    title: 'p-values of the first texts',
    caption: 'The first text of each method. On the page, choose a row to read its texts.',
    columns: [...kinds].map(([id, label]) => ({ id, label, unit: 'p-value' })),
    rows,
  }
}

export const samples: Protocol = {
  uses: ['open', 'attacks'],
  cells: (plan) =>
    plan.methods.flatMap((method) =>
      kindsOf(plan, method).flatMap((kind) => [...kind.tests.slice(0, 1), sampled(plan, method, kind)]),
    ),
  say: samplesSentences,
  report(plan, results) {
    const all = plan.methods.flatMap((method) => samplesOf(plan, results, method))
    return {
      notes: [
        'Green tokens speak for the watermark, red ones against it; the stronger, the more. Grey ones were not scored: their context occurred before, or the test has no scores of single tokens.',
      ],
      tables: [table(plan, all)],
      charts: [],
      samples: all,
    }
  },
  // p-values of single texts have no mean
  mean: () => ({ tables: [], charts: [] }),
}
