/** The audit as a report to read and as data. */
import { list, wrongType } from '../../input.ts'
import type { Audit } from './audit/index.ts'
import { axes } from './audit/scores.ts'
import { methods } from './methods.ts'
import { claims, counts, drift, medians, names, orders, plural, scoreTables } from './render-sections.ts'

function summary(a: Audit): string {
  const scores = axes.map((axis) => {
    const { agrees, rounding, disagrees } = a.summary[axis]
    return `- **${axis}**: ${agrees} of ${methods.length} scores agree to the printed digit, ${rounding} within the rounding of the inputs, ${disagrees} disagree.`
  })
  const misfits = a.medians.filter((m) => !m.printedFits).length
  const repaired = a.medians.filter((m) => m.impliedFits).length
  const violations = a.orders.reduce((n, o) => n + o.violations.length, 0)
  const refuted = a.claims.filter((c) => c.verdict.includes('fails')).length
  const both = a.claims.filter((c) => c.verdict === 'fails').length
  const decided = a.claims.filter((c) => c.verdict !== 'not checkable').length
  const beyond = a.orders.flatMap((o) => o.violations).filter((v) => v.chance <= 0.01).length
  return [
    ...scores,
    `- **median p-values** of table 3 contradict its TPRs in ${misfits} of ${a.medians.length} rows; the medians that the printed detectability scores ask for contradict them in ${a.medians.length - repaired}. The scores ask for medians that the table does not show.`,
    `- **orders**: ${violations} of ${plural(
      a.orders.reduce((n, o) => n + o.comparisons, 0),
      'comparison',
    )} of rates are inverted, ${beyond} of them beyond chance.`,
    `- **texts**: none of the ${a.counts.cells.length} attacked cells can come from 1000 texts${a.counts.with1000 === 0 ? '' : ` except ${a.counts.with1000}`}; ${a.counts.best.cells} can come from ${a.counts.best.texts}.`,
    `- **claims**: the tables decide ${decided} of ${a.claims.length} statements of the text: ${both} fail as printed and recomputed, ${refuted - both} in one reading only.`,
  ].join('\n')
}

/**
 * The audit as Markdown.
 * @example auditMarkdown(audit()).split('\n')[0] // '# The published tables, audited'
 */
export const auditMarkdown = (a: Audit): string => rendered(a, () => markdownOf(a))

function markdownOf(a: Audit): string {
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

/**
 * The audit as JSON, numbers to 12 significant digits.
 * @example JSON.parse(auditJson(audit())).summary.detectability // { agrees: 1, rounding: 0, disagrees: 18 }
 */
export const auditJson = (a: Audit): string => rendered(a, () => `${JSON.stringify(a, rounded, 2)}\n`)

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(12)) : value

/** Prints an audit; a value of another shape is refused as a whole. */
function rendered(a: Audit, print: () => string): string {
  try {
    for (const part of ['scores', 'medians', 'orders', 'names', 'setup', 'claims'] as const)
      list(`audit.${part}`, a[part], 'a list')
    return print()
  } catch (cause) {
    throw Object.assign(wrongType('audit', 'what audit() returns', a), { cause })
  }
}
