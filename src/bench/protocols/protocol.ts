/** A protocol: the cells that an experiment needs, and the report that their values make. */

import type { Cell, Json } from '../cells/cell.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { Report } from '../report/report.ts'
import type { Said, Told } from './sentences.ts'

export type ProtocolOptions = { readonly [name: string]: Json }

/** The part of a report that is about one model; `methods` only where they differ from the study's. */
export type ReportBody = Pick<Report, 'notes' | 'tables' | 'charts'> &
  Partial<Pick<Report, 'methods' | 'samples'>>

/** A plan for each model. */
export type Plans = readonly [Plan, ...Plan[]]

export interface Protocol {
  cells(plan: Plan, options: ProtocolOptions): Cell[]
  report(plan: Plan, results: Results, options: ProtocolOptions): ReportBody
  /** The results in words: a function of the tables and charts of the report, and of nothing else. */
  say(told: Told, options: ProtocolOptions): Said
  /** Adds what follows from the tables of the report, over all models; the same again where it is done twice. */
  complete?<T extends Told>(told: T): T
  /** Over several models: by default the mean of every number; this is for what has none, such as a ranking. */
  mean?(plans: Plans, results: Results): Pick<ReportBody, 'tables' | 'charts'>
  /** Parts of the study that it uses: their stand-ins touch its report. */
  readonly uses: readonly ('tasks' | 'open' | 'attacks')[]
}
