/** A protocol: which cells an experiment needs, and what report their values make. */
import type { Report } from '../../report/report.ts'
import type { Cell, Json } from '../cell.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'

export type ProtocolOptions = { readonly [name: string]: Json }

/** What a protocol says: `methods` only where they are not those of the study. */
type ReportBody = Pick<Report, 'summary' | 'notes' | 'tables' | 'charts'> &
  Partial<Pick<Report, 'headline' | 'methods' | 'samples'>>

export interface Protocol {
  cells(plan: Plan, options: ProtocolOptions): Cell[]
  report(plan: Plan, results: Results, options: ProtocolOptions): ReportBody
  /** Which parts of the study it uses, and with them which stand-ins touch its report. */
  readonly uses: readonly ('tasks' | 'open' | 'attacks')[]
}
