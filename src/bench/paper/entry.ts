/** The entry `uwbench/paper`: the published tables as data, the paper's three scores, and the audit. */
export { type Audit, audit } from './audit/index.ts'
export type { Agreement as AuditAgreement, ScoreCell as AuditScore } from './audit/scores.ts'
export type { Figure as PublishedFigure, Unit as PublishedUnit } from './figure.ts'
export { type Method as PaperMethod, methods as paperMethods, type Row as PaperRow } from './methods.ts'
export { auditJson, auditMarkdown } from './render.ts'
export {
  type DetectabilityInput,
  detectabilityScore,
  type RobustnessInput,
  robustnessScore,
  type UnbiasednessInput,
  unbiasednessScore,
} from './scores.ts'
export { type PublishedRow, type PublishedTable, rowFor as publishedRow } from './table.ts'
export { publishedTables } from './tables/index.ts'
