/** The entry `uwbench/laws`: what a watermark must obey, as functions. Needs fast-check. */
export { allLaws } from './all-laws.ts'
export {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  nextToken,
  type RuleConstraints,
  type TextConstraints,
  type ToyModel,
  text,
  textsOf,
  toyModel,
  type WeightsConstraints,
  weights,
} from './arbitraries/index.ts'
export { type CheckOptions, checkWatermark } from './check.ts'
export type {
  Counterexample,
  Effort,
  Law,
  LawEvidence,
  LawResult,
  LawVerdict,
  Promised,
  Suspicion,
  Trial,
} from './law.ts'
export { type LedgerEntry, ledger } from './ledger.ts'
export { renderFailure, renderVerdicts } from './render.ts'
