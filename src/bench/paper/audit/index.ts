/** The paper's own tables, audited: recomputed where they can be, compared with each other and with the text. */
import { list, refuseUnknown, wrongType } from '../../../input.ts'
import type { PublishedRow, PublishedTable } from '../table.ts'
import { publishedTables, type Tables } from '../tables/index.ts'
import { auditClaims, type Claim } from './claims.ts'
import { auditCounts, type CountAudit } from './counts.ts'
import { auditDrift, type DriftAudit } from './drift.ts'
import { auditMedians, type MedianCell } from './medians.ts'
import { auditNames, type NameDifference, setupDifferences } from './names.ts'
import { auditOrders, type OrderCheck } from './order.ts'
import { type Agreement, type Axis, auditScores, axes, type ScoreCell } from './scores.ts'

/** Everything that the audit found. */
export interface Audit {
  readonly scores: readonly ScoreCell[]
  readonly summary: Readonly<Record<Axis, Readonly<Record<Agreement, number>>>>
  readonly medians: readonly MedianCell[]
  readonly orders: readonly OrderCheck[]
  readonly counts: CountAudit
  readonly drift: DriftAudit
  readonly names: readonly NameDifference[]
  readonly setup: readonly string[]
  readonly claims: readonly Claim[]
}

/** The seven tables, each with the columns that it has in the paper. */
function checkTables(tables: Tables): Tables {
  if (typeof tables !== 'object' || tables === null)
    throw wrongType('tables', 'tables such as publishedTables', tables)
  refuseUnknown('audit', tables, Object.keys(publishedTables))
  for (const [name, published] of Object.entries<PublishedTable>(publishedTables)) {
    const table = tables[name as keyof Tables]
    if (typeof table !== 'object' || table === null)
      throw wrongType(`tables.${name}`, `a table such as publishedTables.${name}`, table)
    const rows = list<PublishedRow>(`tables.${name}.rows`, table.rows, 'a list of rows')
    for (let i = 0; i < rows.length; i++)
      for (const column of Object.keys(published.columns)) {
        const figure = rows[i]?.figures?.[column]
        if (typeof figure?.printed !== 'string' || !Number.isFinite(figure.value))
          throw wrongType(`tables.${name}.rows[${i}].figures.${column}`, 'a figure as printed', figure)
      }
  }
  const names = Object.keys(publishedTables) as (keyof Tables)[]
  return Object.fromEntries(names.map((name) => [name, tables[name]])) as Tables
}

/**
 * Audits the published tables. Pure: no file, no clock, no randomness.
 *
 * @example audit().summary.detectability // { agrees: 1, rounding: 0, disagrees: 18 }
 */
export function audit(given: Tables = publishedTables): Audit {
  const tables = checkTables(given)
  const scores = auditScores(tables)
  const tally = (axis: Axis) => {
    const of = (a: Agreement) => scores.filter((c) => c.axis === axis && c.agreement === a).length
    return { agrees: of('agrees'), rounding: of('rounding'), disagrees: of('disagrees') }
  }
  return {
    scores,
    summary: Object.fromEntries(axes.map((axis) => [axis, tally(axis)])) as Audit['summary'],
    medians: auditMedians(tables),
    orders: auditOrders(tables),
    counts: auditCounts(tables),
    drift: auditDrift(tables),
    names: auditNames(tables),
    setup: setupDifferences,
    claims: auditClaims(tables),
  }
}
