/** A protocol: which cells an experiment needs, and what report their values make. */
import type { Report } from '../../report/report.ts'
import type { Cell, Json } from '../cell.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'

export type ProtocolOptions = { readonly [name: string]: Json }

/** What a protocol shows of one model: `methods` only where they are not those of the study. */
export type ReportBody = Pick<Report, 'notes' | 'tables' | 'charts'> &
  Partial<Pick<Report, 'methods' | 'samples'>>

/** A plan for each model. */
export type Plans = readonly [Plan, ...Plan[]]

export interface Protocol {
  cells(plan: Plan, options: ProtocolOptions): Cell[]
  report(plan: Plan, results: Results, options: ProtocolOptions): ReportBody
  /** What came out, over all models. */
  say(
    plans: Plans,
    results: Results,
    options: ProtocolOptions,
  ): Pick<Report, 'summary'> & Partial<Pick<Report, 'headline'>>
  /** Over several models: by default the mean of every number; this is for what has none, such as a ranking. */
  mean?(plans: Plans, results: Results): Pick<ReportBody, 'tables' | 'charts'>
  /** Which parts of the study it uses, and with them which stand-ins touch its report. */
  readonly uses: readonly ('tasks' | 'open' | 'attacks')[]
}
