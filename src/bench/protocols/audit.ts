/** The paper's own tables, recomputed: the findings of the audit as a report. */
import { audit as auditPaper, publishedTables } from '../../paper/index.ts'
import type { Row, Table, Value } from '../../report/report.ts'
import { exact, text } from '../../report/values.ts'
import { familiesOf } from '../methods.ts'
import { auditSentences } from '../sentences.ts'
import type { Protocol } from './protocol.ts'

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
      examples: text(shown.join('; ') || '-'),
    })
  })
  return {
    id: 'audit-orders',
    title: 'Orders that rates must obey',
    rowLabel: 'Statement',
    columns: [
      { id: 'comparisons', label: 'comparisons', unit: 'count' },
      { id: 'violations', label: 'broken', unit: 'count' },
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
  say() {
    const found = auditPaper()
    const broken = found.orders.reduce((sum, order) => sum + order.violations.length, 0)
    const fail = found.claims.filter((claim) => claim.verdict.includes('fails')).length
    const counts = axes.map((axis) => {
      const { agrees, rounding } = found.summary[axis]
      return { axis, agree: agrees + rounding, all: found.scores.filter((cell) => cell.axis === axis).length }
    })
    const sentences = auditSentences(counts, broken, { fail, all: found.claims.length })
    return { headline: { sentence: sentences[0]! }, summary: sentences }
  },
  report() {
    const found = auditPaper()
    return {
      methods: familiesOf(found.scores.map(({ method }) => ({ family: family(method) }))),
      notes: [...found.setup],
      tables: [scoreTable(found), medianTable(found), orderTable(found), claimTable(found)],
      charts: [],
    }
  },
}
