/** The entry `uwbench/theory`: the paper's statements as functions. */
export { type DetectWeightedOptions, detectWeighted, type WeightedEvidence } from '../core/detect/index.ts'
export type { BitTraining, Calibration, CalibrationBin } from '../watermarks/sharper/index.ts'
export {
  calibrate,
  embeddedTrainings,
  type MarkedText,
  type Posterior,
  type PosteriorOptions,
  posterior,
  type ScoredDetection,
  type TrainBitsOptions,
  trainBits,
  withTrainedScore,
} from '../watermarks/sharper/index.ts'
export {
  type AdversaryOptions,
  type AttackResult,
  type BeamOptions,
  beamAttack,
  exhaustiveAttack,
} from './adversary.ts'
export {
  amplificationBound,
  amplificationBracket,
  amplificationCeiling,
  bhattacharyya,
  type QueryRange,
} from './amplification.ts'
export {
  type Certificate,
  type CertificateOptions,
  certifiedDecisionRadius,
  certifiedRadius,
  type DecisionRadiusOptions,
  decisionRadius,
} from './certified-radius.ts'
export type { Distribution } from './checked.ts'
export { allEdits, applyEdit, type Edit, type EditKind } from './edits.ts'
export {
  type EffectRegion,
  type ExpectedDropOptions,
  effectRegion,
  expectedDrop,
  type Scoring,
  scoresChanged,
} from './effect-region.ts'
export { entropy, expectedScores, gumbelScoreTail } from './expected-score.ts'
export { type LikelihoodBound, likelihoodBound } from './likelihood-bound.ts'
export { mixtureTotalVariation, productTotalVariation } from './products.ts'
export { type QueryBudget, type QueryBudgetOptions, queryBudget } from './query-budget.ts'
export { certificateLaw, type RobustnessOutcome, reachLaw } from './robustness-laws.ts'
export { certifiedScoreRadius, type ScoreRadiusOptions, scoreRadius } from './score-certificate.ts'
export { type ScoreLaw, type ScoreLawOptions, scoreLaw } from './score-law.ts'
export {
  detWmk,
  type Generations,
  promptMeans,
  type SpmgDesign,
  type SpmgForm,
  spmgGap,
  spmgTailBound,
  spmgThreshold,
} from './spmg.ts'
export { type SpmgQueriesOptions, spmgQueries } from './spmg-queries.ts'
export { type SpmgTest, type SpmgTestOptions, spmgTest } from './spmg-test.ts'
export { type StepLaw, type StepLawOptions, type StepMember, stepLaw } from './step-law.ts'
export {
  type TextBhattacharyya,
  type TextBhattacharyyaOptions,
  textBhattacharyya,
} from './text-bhattacharyya.ts'
export {
  type PowerAt,
  type TextQueryBudget,
  type TextQueryBudgetOptions,
  textQueryBudget,
} from './text-query-budget.ts'
export { detectionPower, type TokensNeeded, tokensNeeded } from './tokens-needed.ts'
