/** The paper's own tables, recomputed: the findings of the audit as a report. */

import { audit as auditPaper, publishedTables } from '../paper/index.ts'
import type { Row, Table, Value } from '../report/report.ts'
import { exact, text } from '../report/values.ts'
import { familiesOf } from '../study/methods.ts'
import type { Protocol } from './protocol.ts'
import { auditSentences } from './sentences.ts'

type Audit = ReturnType<typeof auditPaper>

const label = (method: string): string =>
  publishedTables.oneShot.rows.find((row) => row.method === method)?.name ?? method
const family = (method: string): string => method.split('(')[0]!

const axes = ['unbiasedness', 'detectability', 'robustness'] as const

function scoreTable({ scores }: Audit): Table {
  const methods = [...new Set(scores.map((cell) => cell.method))]
  const rows = methods.map((method): Row => {
    const cells: Record<string, Value | null> = {}
    for (const axis of axes) {
      const cell = scores.find((c) => c.method === method && c.axis === axis)!
      cells[axis] = exact(cell.recomputed, { paper: cell.printed })
      cells[`${axis} verdict`] = text(cell.agreement)
    }
    return { id: method, label: label(method), family: family(method), cells }
  })
  const columns = axes.flatMap((axis) => [
    { id: axis, label: 'recomputed', group: axis, unit: 'number' as const, digits: 3 },
    { id: `${axis} verdict`, label: 'verdict', group: axis, unit: 'text' as const },
  ])
  const caption =
    "The three scores of table 7 from the figures of tables 1 to 6, with the paper's formulas, beside what is printed."
  return { id: 'audit-scores', title: 'Scores recomputed', caption, columns, rows }
}

const plain = (id: string, cells: Row['cells']): Row => ({ id, label: id, family: '', cells })

function claimTable({ claims }: Audit): Table {
  const rows = claims.map(({ claim, verdict, evidence }) =>
    plain(claim, { verdict: text(verdict), evidence: text(evidence) }),
  )
  return {
    id: 'audit-claims',
    title: 'Sentences of the text against the tables',
    rowLabel: 'Claim',
    columns: [
      { id: 'verdict', label: 'verdict', unit: 'text' },
      { id: 'evidence', label: 'evidence', unit: 'text' },
    ],
    rows,
  }
}

function orderTable({ orders }: Audit): Table {
  const rows = orders.map(({ statement, comparisons, violations }) => {
    const shown = violations
      .slice(0, 4)
      .map(
        (v) => `${label(v.method)}: ${v.small.what} ${v.small.printed}, ${v.large.what} ${v.large.printed}`,
      )
    return plain(statement, {
      comparisons: exact(comparisons),
      violations: exact(violations.length),
      beyond: exact(violations.filter(({ chance }) => chance <= 0.01).length),
      examples: text(shown.join('; ') || '-'),
    })
  })
  return {
    id: 'audit-orders',
    title: 'Orders that rates would obey if they were measured on the same texts',
    caption:
      "Inverted: the smaller rate is printed larger, by more than rounding. Tables 4 to 6 do not state their models and fit about 960 texts; table 3 is an average over models and datasets, so an inversion between them is not impossible. Beyond chance: Hoeffding's bound for two equal rates on 960 texts each is at most 1%.",
    rowLabel: 'Statement',
    columns: [
      { id: 'comparisons', label: 'comparisons', unit: 'count' },
      { id: 'violations', label: 'inverted', unit: 'count' },
      { id: 'beyond', label: 'beyond chance', unit: 'count' },
      { id: 'examples', label: 'where', unit: 'text' },
    ],
    rows,
  }
}

function medianTable({ medians }: Audit): Table {
  const rows = medians.map(
    (cell): Row => ({
      id: cell.method,
      label: label(cell.method),
      family: family(cell.method),
      cells: {
        printed: exact(cell.printed),
        range: text(`above ${cell.above}, at most ${cell.atMost}`),
        fits: text(cell.printedFits ? 'yes' : 'no'),
        implied: exact(cell.implied),
        impliedFits: text(cell.impliedFits ? 'yes' : 'no'),
      },
    }),
  )
  return {
    id: 'audit-medians',
    title: 'Median p-values of table 3',
    caption:
      'A TPR above one half at rate a means a median of at most a. The last columns: the median that the printed detectability score asks for.',
    columns: [
      { id: 'printed', label: 'printed', unit: 'p-value' },
      { id: 'range', label: 'where the TPRs put it', unit: 'text' },
      { id: 'fits', label: 'fits', unit: 'text' },
      { id: 'implied', label: 'asked for by the score', unit: 'p-value' },
      { id: 'impliedFits', label: 'fits', unit: 'text' },
    ],
    rows,
  }
}

export const audit: Protocol = {
  uses: [],
  cells: () => [],
  say: (told) => auditSentences(told, axes),
  report() {
    const found = auditPaper()
    return {
      methods: familiesOf(found.scores.map(({ method }) => ({ family: family(method) }))),
      notes: [
        'Every number and verdict here is computed by `npx uwbench audit` from the printed figures, without a network: `publishedTables` of `uwbench/paper`.',
        ...found.setup,
      ],
      tables: [scoreTable(found), medianTable(found), orderTable(found), claimTable(found)],
      charts: [],
    }
  },
}
