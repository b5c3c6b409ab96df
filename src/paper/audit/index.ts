/** The paper's own tables, audited: recomputed where they can be, compared with each other and with the text. */
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

/**
 * Audits the published tables. Pure: no file, no clock, no randomness.
 *
 * @example audit().summary.detectability // { agrees: 1, rounding: 0, disagrees: 18 }
 */
export function audit(tables: Tables = publishedTables): Audit {
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
