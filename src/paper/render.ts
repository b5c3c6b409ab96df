/** The audit as a report to read and as data. */
import type { Audit } from './audit/index.ts'
import { axes } from './audit/scores.ts'
import { markdownTable } from './markdown.ts'
import { methods } from './methods.ts'

const percent = (x: number): string => `${(100 * x).toFixed(2)}`
const small = (x: number): string => (x >= 0.001 ? x.toPrecision(3) : x.toExponential(2))
const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

function summary(a: Audit): string {
  const scores = axes.map((axis) => {
    const { agrees, rounding, disagrees } = a.summary[axis]
    return `- **${axis}**: ${agrees} of ${methods.length} scores agree to the printed digit, ${rounding} within the rounding of the inputs, ${disagrees} disagree.`
  })
  const misfits = a.medians.filter((m) => !m.printedFits).length
  const repaired = a.medians.filter((m) => m.impliedFits).length
  const violations = a.orders.reduce((n, o) => n + o.violations.length, 0)
  const refuted = a.claims.filter((c) => c.verdict.includes('fails')).length
  return [
    ...scores,
    `- **median p-values** of table 3 contradict its TPRs in ${misfits} of ${a.medians.length} rows; the medians that the printed detectability scores ask for contradict them in ${a.medians.length - repaired}. The scores ask for medians that the table does not show.`,
    `- **orders** that rates must obey are broken ${plural(violations, 'time')} in ${a.orders.reduce((n, o) => n + o.comparisons, 0)} comparisons.`,
    `- **texts**: none of the ${a.counts.cells.length} attacked cells can come from 1000 texts${a.counts.with1000 === 0 ? '' : ` except ${a.counts.with1000}`}; ${a.counts.best.cells} can come from ${a.counts.best.texts}.`,
    `- **claims**: ${refuted} of ${a.claims.length} sentences of the text fail against the tables (as printed or recomputed), ${a.claims.filter((c) => c.verdict === 'not checkable').length} cannot be checked.`,
  ].join('\n')
}

function scoreTables(a: Audit): string {
  const of = (axis: string) => a.scores.filter((c) => c.axis === axis)
  const detectability = markdownTable(
    [
      'method',
      'printed',
      'recomputed',
      'range',
      'verdict',
      'median p printed',
      'median p the score asks for',
    ],
    of('detectability').map((c) => [
      c.method,
      c.printed.toFixed(3),
      c.recomputed.toFixed(5),
      `${c.range[0].toFixed(4)} .. ${c.range[1].toFixed(4)}`,
      c.agreement,
      small(c.medianP!.printed),
      small(c.medianP!.implied),
    ]),
  )
  const others = markdownTable(
    [
      'method',
      'unbiasedness printed',
      'recomputed',
      'verdict',
      'robustness printed',
      'recomputed',
      'verdict',
    ],
    methods.map((method) => {
      const [u, r] = (['unbiasedness', 'robustness'] as const).map(
        (axis) => of(axis).find((c) => c.method === method)!,
      )
      return [
        method,
        ...[u!, r!].flatMap((c) => [c.printed.toFixed(3), c.recomputed.toFixed(5), c.agreement]),
      ]
    }),
  )
  return `### Detectability\n\n${detectability}\n\n### Unbiasedness and robustness\n\n${others}`
}

const medians = (a: Audit): string =>
  markdownTable(
    ['method', 'by its TPRs the median lies in', 'printed', 'fits', 'asked for by the score', 'fits'],
    a.medians.map((m) => [
      m.method,
      `(${m.above}, ${m.atMost}]`,
      small(m.printed),
      m.printedFits ? 'yes' : '**no**',
      small(m.implied),
      m.impliedFits ? 'yes' : '**no**',
    ]),
  )

const orders = (a: Audit): string =>
  a.orders
    .map(({ statement, comparisons, violations }) => {
      const head = `**${statement}**: ${comparisons} comparisons, ${plural(violations.length, 'violation')}.`
      if (violations.length === 0) return head
      const table = markdownTable(
        ['method', 'should be at most', 'but is', 'excess (points)', 'chance at most'],
        violations.map((v) => [
          v.method,
          `${v.large.what}: ${v.large.printed}`,
          `${v.small.what}: ${v.small.printed}`,
          percent(v.excess),
          small(v.chance),
        ]),
      )
      return `${head}\n\n${table}`
    })
    .join('\n\n')

function counts(a: Audit): string {
  const show = (ns: readonly number[]): string =>
    ns.length > 6 ? `${ns.slice(0, 6).join(', ')}, ... (${ns.length})` : ns.join(', ') || 'none'
  const odd = a.counts.cells.filter((c) => !c.possible.includes(a.counts.best.texts))
  return `${a.counts.best.cells} of ${a.counts.cells.length} cells (method x attack) fit ${a.counts.best.texts} texts, ${a.counts.with1000} fit 1000. The others:\n\n${markdownTable(
    ['method', 'attack', 'numbers of texts in 500..1000 that fit'],
    odd.map((c) => [c.method, c.attack, show(c.possible)]),
    'left',
  )}`
}

function drift(a: Audit): string {
  const head = Object.entries(a.drift.thresholds).map(([metric, t]) => [
    metric,
    small(t.printed),
    small(t.theorem),
    small(t.sharp),
  ])
  const beyond = a.drift.cells.filter((c) => c.beyondSharp)
  return `${markdownTable(['metric', 'threshold as printed (A squared)', 'threshold of the theorem', 'sharper threshold'], head)}

${beyond.length} of ${a.drift.cells.length} DetWmk exceed the sharper threshold (each cell at level ${a.drift.alpha}):

${markdownTable(
  ['method', 'metric', 'DetWmk', 'beyond the theorem'],
  beyond.map((c) => [c.method, c.metric, c.detWmk.toPrecision(3), c.beyondTheorem ? 'yes' : 'no']),
)}`
}

const names = (a: Audit): string => {
  const rows = a.names.map(({ method, names }) => [
    method,
    Object.entries(names)
      .map(([name, tables]) => `${name} (table ${tables.join(', ')})`)
      .join('; '),
  ])
  return `${markdownTable(['row', 'printed as'], rows, 'left')}\n\n${a.setup.map((s) => `- ${s}`).join('\n')}`
}

const claims = (a: Audit): string =>
  markdownTable(
    ['claim', 'verdict', 'evidence'],
    a.claims.map((c) => [c.claim, c.verdict, c.evidence]),
    'left',
  )

/** The audit as Markdown. */
export function auditMarkdown(a: Audit): string {
  return `# The published tables, audited

Every figure of the paper's seven tables is held as data; what follows is computed from them. A printed figure stands for all
numbers that round to it: *agrees* means that the score recomputed from the printed figures rounds to the printed score,
*rounding* that some numbers behind the printed figures give it, *disagrees* that none do.

## Summary

${summary(a)}

## The three scores (table 7), recomputed from tables 1 to 6

${scoreTables(a)}

## Median p-values against TPR (table 3)

If more than half the texts have p at most 0.1%, so has the median. An average of medians over models and datasets is not bound
by this, which may be how the printed column came about; the scores then used something else.

${medians(a)}

## Orders

*Chance at most*: Hoeffding's bound on the probability of such an excess if the two rates were equal and each measured on 960
independent texts. Tables 4 to 6 do not say on which models and datasets they were measured; other texts than those of table 3
would explain rates that rise under attack.

${orders(a)}

## How many texts

A percentage with two decimals is a whole number of texts over their count; few counts fit. Tables 4 to 6 share their texts.

${counts(a)}

## Theorem 2 on table 2

DetWmk is a row of table 2 minus its row "No watermark" (10 prompts, 1000 generations). ROUGE-1 lies in [0, 1] and BLEU in
[0, 100], so A is 1/2 and 50. The threshold as printed has A squared: too small for A < 1, and for BLEU beyond anything that can
be observed.

${drift(a)}

## Names and parameters

${names(a)}

## Claims of the text

${claims(a)}
`
}

/** The audit as JSON, numbers to 12 significant digits. */
export const auditJson = (a: Audit): string =>
  `${JSON.stringify(a, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value), 2)}\n`
