/** The entry `uwbench/laws`: what a watermark must obey, as functions. Needs fast-check. */
export { allLaws } from './all-laws.ts'
export * from './arbitraries/index.ts'
export { certificateHolds } from './certificate-holds.ts'
export { type CheckOptions, checkLaw, checkWatermark, type Settings, settingsOf, trialOf } from './check.ts'
export { detectable } from './detectable.ts'
export { drift } from './drift.ts'
export { editsReach } from './edits-reach.ts'
export * from './engine/index.ts'
export { equalPairs } from './equal-pairs.ts'
export { fractions, probabilities } from './fractions.ts'
export { givesDistribution } from './gives-distribution.ts'
export type {
  Counterexample,
  Effort,
  Law,
  LawEvidence,
  LawResult,
  LawVerdict,
  Promised,
  Trial,
} from './law.ts'
export { type LedgerEntry, ledger } from './ledger.ts'
export { nullLawIsRight } from './null-law-is-right.ts'
export { orbitIsHonest } from './orbit-is-honest.ts'
export { renderFailure, renderLedger, renderVerdicts } from './render.ts'
export { sameKeySameResult } from './same-key-same-result.ts'
export { shownBiased } from './shown-biased.ts'
export { unbiasedOverKeys } from './unbiased-over-keys.ts'
export { unbiasedOverOrbit } from './unbiased-over-orbit.ts'
export { unbiasedSequences } from './unbiased-sequences.ts'
export { type Decoder, markThenWarp, topK, warpingOrder, warpThenMark } from './warping-order.ts'
