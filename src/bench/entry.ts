/** The entry `uwbench/bench`: experiments, the runner, the store, tables and charts. */
export type { TextDetection } from '../core/detect/index.ts'
export { type Cell, type CellOptions, cell, type Json } from './cells/cell.ts'
export { type CorpusOptions, detectCorpus } from './cells/detect-pool.ts'
export { type RunOptions, type RunResult, runCells } from './cells/runner.ts'
export type { Shard } from './cells/shard.ts'
export type { SharedCells } from './cells/shared-cells.ts'
export { defineStep, type Step, type Steps } from './cells/step.ts'
export { openStore, type Store, type StoreOptions, storePath } from './cells/store.ts'
export { type CompareOptions, type Comparison, compareReports } from './report/compare.ts'
export { readReports } from './report/read.ts'
export type { Chart, Column, Report, Row, Table, Value } from './report/report.ts'
export { writeIndex, writeReport } from './report/write.ts'
export {
  defineExperiment,
  type Experiment,
  type ExperimentDeclaration,
  type ExperimentOptions,
  type ExperimentRun,
  runExperiment,
} from './run/experiment.ts'
export { paperExperiments } from './run/experiments.ts'
export type { ModelRef, ResourceOptions } from './steps/resources.ts'
export { embeddedStudy, paperStudy, smallStudy, smokeStudy, studyOf } from './study/scales.ts'
export type { StudiedAttack, Study, Task } from './study/study.ts'
